import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import type { DeadLetterFilter } from './dead-letters-command.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import { inOrder, type Line } from './in-order.ts';
import { cellsOf, Columns, jsonOf, titles } from './listing.ts';
import { ageOf } from './selection.ts';
import { survey } from './dead-letter-scan.ts';

interface ListOptions {
  readonly filter: DeadLetterFilter;
  /** One object a line. */
  readonly json: boolean;
  readonly screen: ProgressScreen;
  /** Takes one line, without its end. */
  readonly out: (line: string) => void;
}

/** Prints dead letters, the newest last. */
export async function listDeadLetters(scan: TopicScan, { filter, json, screen, out }: ListOptions): Promise<void> {
  const columns = new Columns();
  columns.measure(titles);
  const measure = (letter: DeadLetter): void => columns.measure(cellsOf(letter, true));
  const found = await survey(scan, filter, screen, json ? undefined : measure);
  if (!json && found.meant > 0) out(columns.line(titles));
  let before = 0;
  const toLine = (letter: DeadLetter): Line | undefined => {
    if (!found.isMeant(letter)) return undefined;
    const isReplayed = found.replayed.has(letter.record, letter.source);
    if (isReplayed) before += 1;
    const text = json ? jsonOf(letter, isReplayed) : columns.line(cellsOf(letter, isReplayed));
    return { age: ageOf(letter), text };
  };
  // A bar would stand between what is printed.
  using progress = new Progress(`listing ${scan.topic}`, scan.offsets(), { ...screen, bar: undefined });
  const lines = found.meant === 0 ? [] : inOrder(scan, toLine, (offsets) => progress.advance(offsets));
  for await (const line of lines) out(line);
  screen.err(`dead letters: ${found.meant}, replayed: ${before}`);
}
