import type { Result } from '../rounds.ts';
import { describe } from './table.ts';

/** Where and when it was measured. */
export interface Circumstances {
  /** ISO 8601, the day alone. */
  readonly date: string;
  /** Its model. */
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  /** In words, with its version. */
  readonly kafka: string;
}

/** A picture that the page shows. */
export interface Picture {
  /** In words, for who can't see it. */
  readonly title: string;
  /** From the page. */
  readonly file: string;
}

/** What the page says of a complete run, as Markdown. */
export function sectionOf(
  results: readonly Result[],
  {
    circumstances,
    rounds,
    pictures,
  }: { readonly circumstances: Circumstances; readonly rounds: number; readonly pictures: readonly Picture[] },
): string {
  const { date, processor, cores, memoryGib, node, kafka } = circumstances;
  const where = `Measured on ${date} with ${processor}, ${cores} cores and ${memoryGib} GiB for everything, the broker included; Node ${node}, ${kafka}.`;
  const how = `The medians of ${rounds} rounds, with the lowest and the highest.`;
  return [`${where} ${how}`, ...pictures.map(({ title, file }) => `![${title}](${file})`), describe(results)].join(
    '\n\n',
  );
}
