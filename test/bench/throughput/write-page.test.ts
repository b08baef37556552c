import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { plots } from './plots/plots.ts';
import { aResult, cpu } from './results/builders.ts';
import { figuresOf } from './results/figures.ts';
import { writeFigures, writePage } from './write-page.ts';

const conditions = { date: '2026-11-21', processor: 'P', cores: 2, memoryGib: 24, node: '24.21.0', kafka: 'Kafka' };

it('writes the figures, the section of the page, and the plots that it shows', async () => {
  const page = '# Page\n\n<!-- throughput: begin -->\n<!-- throughput: end -->\n\nafter\n';
  await using files = await writeTemporaryFiles({ 'performance.md': page });
  const docs = dirname(files.path('performance.md'));
  const scenarios = [figuresOf(aResult({ 'the service': cpu(2), 'undici alone': cpu(1) }))];
  await writeFigures({ conditions, scenarios }, docs);
  await writePage(docs);
  expect(JSON.parse(await readFile(files.path('performance/throughput.json'), 'utf8'))).toEqual({
    conditions,
    scenarios,
  });
  const written = await readFile(files.path('performance.md'), 'utf8');
  expect(written).toMatch(/^# Page\n\n<!-- throughput: begin -->\n\nMeasured on 2026-11-21/);
  expect(written).toMatch(/\| One host +\| [^]*<!-- throughput: end -->\n\nafter\n$/);
  for (const { file } of plots) {
    expect(written).toContain(`](${file})`);
    expect(await readFile(files.path(file), 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/);
  }
});
