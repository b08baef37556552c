import { join } from 'node:path';
import { writeSection } from '../../support/pages/section.ts';
import { readFigures, storeFigures } from '../figures-file.ts';
import type { Figures } from './results/figures.ts';
import { sectionOf } from './results/section.ts';

const file = 'performance/throughput.json';

export async function writeFigures(figures: Figures, docs: string): Promise<void> {
  await storeFigures(join(docs, file), figures);
}

/** Writes the section of the page from the stored figures. */
export async function writePage(docs: string): Promise<void> {
  const figures = await readFigures<Figures>(join(docs, file));
  await writeSection(join(docs, 'performance.md'), { name: 'throughput', text: sectionOf(figures) });
}
