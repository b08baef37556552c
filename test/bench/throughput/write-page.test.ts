import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { readText } from '../../support/files/sources.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { withSection } from '../../support/pages/section.ts';
import { plots } from './plots/plots.ts';
import { aResult, cpu } from './results/builders.ts';
import { writePage } from './write-page.ts';

const circumstances = { date: '2026-11-21', processor: 'P', cores: 2, memoryGib: 24, node: '24.21.0', kafka: 'Kafka' };

it('writes the section and the plots that it shows', async () => {
  const page = '# Page\n\n<!-- throughput: begin -->\n<!-- throughput: end -->\n\nafter\n';
  await using files = await writeTemporaryFiles({ 'performance.md': page });
  const docs = dirname(files.path('performance.md'));
  const results = [aResult({ 'the service': cpu(2), 'undici alone': cpu(1) })];
  await writePage(results, { docs, circumstances, rounds: 5 });
  const written = await readFile(files.path('performance.md'), 'utf8');
  expect(written).toMatch(/^# Page\n\n<!-- throughput: begin -->\n\nMeasured on 2026-11-21 with P, 2 cores/);
  expect(written).toMatch(/\| undici alone \| +1\.000[^]*<!-- throughput: end -->\n\nafter\n$/);
  for (const { file } of plots) {
    expect(written).toContain(`](${file})`);
    expect(await readFile(files.path(file), 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/);
  }
});

it('finds its place in the page that there is', () => {
  const page = withSection(readText('docs/performance.md'), { name: 'throughput', text: 'new' });
  expect(page).toContain('<!-- throughput: begin -->\n\nnew\n\n<!-- throughput: end -->');
});
