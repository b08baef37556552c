import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import { compareAges, type Age } from './selection.ts';

/** A dead letter as it is to be printed: nothing of the response that it came in. */
export interface Line {
  readonly age: Age;
  readonly text: string;
}

/** So many lines may stand before an older one in their partition and are put right. */
const windowLines = 10_000;

/**
 * The dead letters of all partitions as one, the newest last. A partition is in the order in which it was written, or
 * nearly: times are taken before the write. No more than a piece of each partition and two windows are in memory.
 */
export async function* mergeByAge(
  scan: Pick<TopicScan, 'partitions' | 'read'>,
  toLine: (letter: DeadLetter) => Line | undefined,
  advance: (offsets: number) => void,
): AsyncGenerator<string> {
  let held: Line[] = [];
  for await (const line of merged(scan.partitions.map((partition) => linesOf(scan, partition, toLine, advance)))) {
    held.push(line);
    if (held.length < 2 * windowLines) continue;
    held = held.toSorted(byAge);
    for (const { text } of held.splice(0, windowLines)) yield text;
  }
  for (const { text } of held.toSorted(byAge)) yield text;
}

function byAge(one: Line, other: Line): number {
  return compareAges(one.age, other.age);
}

interface Head {
  readonly line: Line;
  readonly rest: AsyncGenerator<Line>;
}

async function* merged(parts: readonly AsyncGenerator<Line>[]): AsyncGenerator<Line> {
  const heads: Head[] = [];
  for (const part of parts) heads.push(...(await headOf(part)));
  while (heads.length > 0) {
    const oldest = heads.reduce((one, other) => (byAge(other.line, one.line) < 0 ? other : one));
    yield oldest.line;
    heads.splice(heads.indexOf(oldest), 1, ...(await headOf(oldest.rest)));
  }
}

/** None once the part is over. */
async function headOf(rest: AsyncGenerator<Line>): Promise<readonly Head[]> {
  const { value, done } = await rest.next();
  return done === true ? [] : [{ line: value, rest }];
}

async function* linesOf(
  scan: Pick<TopicScan, 'partitions' | 'read'>,
  partition: number,
  toLine: (letter: DeadLetter) => Line | undefined,
  advance: (offsets: number) => void,
): AsyncGenerator<Line> {
  for await (const { records, offsets } of scan.read(partition)) {
    for (const record of records) {
      const found = readDeadLetter(record);
      const line = found.kind === 'letter' ? toLine(found.letter) : undefined;
      if (line !== undefined) yield line;
    }
    advance(offsets);
  }
}
