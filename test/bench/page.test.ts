import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { writePage as writeIsolation } from './isolation/write-page.ts';
import { plots } from './throughput/plots/plots.ts';
import { writePage as writeThroughput } from './throughput/write-page.ts';

const stored = ['performance.md', 'performance/throughput.json', 'performance/isolation.json'];
const written = ['performance.md', ...plots.map(({ file }) => file)];
const mostLines = 120;

it('docs/performance.md and its plots show the stored figures: run test/bench/write-page.ts after a change', async () => {
  await using files = await writeTemporaryFiles({});
  const docs = dirname(files.path('performance.md'));
  await mkdir(files.path('performance'));
  await Promise.all(stored.map((file) => cp(join(root, 'docs', file), files.path(file))));
  await writeThroughput(docs);
  await writeIsolation(docs);
  for (const file of written) expect(await readFile(files.path(file), 'utf8')).toBe(await readDocument(file));
});

it(`docs/performance.md has at most ${mostLines} lines`, async () => {
  expect((await readDocument('performance.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(mostLines);
});

function readDocument(file: string): Promise<string> {
  return readFile(join(root, 'docs', file), 'utf8');
}
