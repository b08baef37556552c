import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readText, root } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { writePage as writeThroughput } from './throughput/write-page.ts';

const stored = ['performance.md', 'performance/throughput.json'];

it('docs/performance.md shows the stored figures: run test/bench/write-page.ts after a change', async () => {
  await using files = await writeTemporaryFiles({});
  const docs = dirname(files.path('performance.md'));
  await mkdir(files.path('performance'));
  await Promise.all(stored.map((file) => cp(join(root, 'docs', file), files.path(file))));
  await writeThroughput(docs);
  expect(await readFile(files.path('performance.md'), 'utf8')).toBe(readText('docs/performance.md'));
});
