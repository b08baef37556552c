import type { DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import type { DeadLetterFilter } from './dead-letters-command.ts';
import { Columns } from '../terminal/columns.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { mergeByAge, type Line } from './merge-by-age.ts';
import { cellsOf, jsonOf, titles } from './listing.ts';
import { ageOf } from './selection.ts';
import { scanDeadLetters } from './dead-letter-scan.ts';

/** Without `drained`, all lines would wait in memory for a slow reader. */
interface ListOptions extends Pick<Terminal, 'out' | 'drained'> {
  readonly filter: DeadLetterFilter;
  /** Prints one JSON object per line instead of a table. */
  readonly json: boolean;
  readonly screen: ProgressScreen;
}

/** Prints the selected dead letters, the newest last. */
export async function listDeadLetters(scan: TopicScan, options: ListOptions): Promise<void> {
  const { filter, json, screen, out, drained } = options;
  const columns = new Columns();
  columns.measure(titles);
  const measure = (letter: DeadLetter): void => columns.measure(cellsOf(letter, true));
  const found = await scanDeadLetters(scan, filter, screen, json ? undefined : measure);
  if (!json && found.selected > 0) out(columns.line(titles));
  let replayedBefore = 0;
  const toLine = (letter: DeadLetter): Line | undefined => {
    if (!found.isSelected(letter)) return undefined;
    const isReplayed = found.replayed.has(letter.record, letter.source);
    if (isReplayed) replayedBefore += 1;
    const text = json ? jsonOf(letter, isReplayed) : columns.line(cellsOf(letter, isReplayed));
    return { age: ageOf(letter), text };
  };
  // No bar: it would be drawn between the printed lines.
  using progress = new Progress(`listing ${scan.topic}`, scan.offsets(), { ...screen, bar: undefined });
  const lines = found.selected === 0 ? [] : mergeByAge(scan, toLine, (offsets) => progress.advance(offsets));
  for await (const line of lines) {
    out(line);
    await drained();
  }
  screen.err(`dead letters: ${found.selected}, replayed: ${replayedBefore}`);
}
