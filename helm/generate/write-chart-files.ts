import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles, chartFolder } from './chart-files.ts';

for (const [path, text] of Object.entries(chartFiles())) writeFileSync(join(chartFolder, path), text);
