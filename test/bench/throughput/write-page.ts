import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeSection } from '../../support/pages/write-section.ts';
import { draw } from './plots/draw.ts';
import { plots } from './plots/plots.ts';
import { sectionOf, type Circumstances } from './results/section.ts';
import type { Result } from './rounds.ts';

interface Place {
  /** The documents' folder, which has the page. */
  readonly docs: string;
  readonly circumstances: Circumstances;
  readonly rounds: number;
}

/** The plots, and the section of the page that shows them and has the tables. */
export async function writePage(results: readonly Result[], { docs, circumstances, rounds }: Place): Promise<void> {
  for (const { file, of } of plots) {
    const path = join(docs, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${await draw(of(results))}\n`);
  }
  const path = join(docs, 'performance.md');
  const text = sectionOf(results, { circumstances, rounds, pictures: plots });
  await writeSection(path, { name: 'throughput', text });
}
