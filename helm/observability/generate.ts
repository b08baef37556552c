import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generatedFiles } from './generated-files.ts';

const chart = join(import.meta.dirname, '..', 'certificate-webhooks');

for (const [path, content] of Object.entries(generatedFiles())) {
  const file = join(chart, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
