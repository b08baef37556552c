import { writeFile } from 'node:fs/promises';
import { configurationPage, configurationPagePath } from './configuration-page.ts';

await writeFile(configurationPagePath, await configurationPage());
