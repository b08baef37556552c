import { writeFile } from 'node:fs/promises';
import { asyncApiDocument, asyncApiPath } from './asyncapi.ts';
import { contractText } from './contract-text.ts';
import { openApiDocument, openApiPath } from './openapi.ts';
import { configurationPage, configurationPagePath } from './configuration-page.ts';

await writeFile(configurationPagePath, await configurationPage());
await writeFile(openApiPath, await contractText(openApiPath, openApiDocument()));
await writeFile(asyncApiPath, await contractText(asyncApiPath, asyncApiDocument()));
