import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeSection } from '../../support/pages/section.ts';
import { readFigures, storeFigures } from '../figures-file.ts';
import { draw } from './plots/draw.ts';
import { plots } from './plots/plots.ts';
import type { Figures } from './results/figures.ts';
import { sectionOf } from './results/section.ts';

const file = 'performance/throughput.json';

export async function writeFigures(figures: Figures, docs: string): Promise<void> {
  await storeFigures(join(docs, file), figures);
}

/** Writes the plots and the section of the page from the stored figures. */
export async function writePage(docs: string): Promise<void> {
  const figures = await readFigures<Figures>(join(docs, file));
  for (const plot of plots) {
    const path = join(docs, plot.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${await draw(plot.of(figures.scenarios))}\n`);
  }
  const text = sectionOf(figures, plots);
  await writeSection(join(docs, 'performance.md'), { name: 'throughput', text });
}
