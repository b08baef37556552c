import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import { compareAges, type Age } from './selection.ts';

/** The printed text of a dead letter. Holds no reference to the fetch response, which can be freed. */
export interface Line {
  readonly age: Age;
  readonly text: string;
}

/** Number of lines that may precede an older line of their partition and are still sorted correctly. */
const windowLines = 10_000;

/**
 * Merges the lines of all partitions, the newest last. A partition is only nearly in the order of failure times,
 * because those are taken before the write. At most two windows and one chunk of each partition are in memory.
 */
export async function* mergeByAge(
  scan: Pick<TopicScan, 'partitions' | 'read'>,
  toLine: (letter: DeadLetter) => Line | undefined,
  advance: (offsets: number) => void,
): AsyncGenerator<string> {
  let window: Line[] = [];
  for await (const line of merge(scan.partitions.map((partition) => linesOf(scan, partition, toLine, advance)))) {
    window.push(line);
    if (window.length < 2 * windowLines) continue;
    window = window.toSorted(byAge);
    for (const { text } of window.splice(0, windowLines)) yield text;
  }
  for (const { text } of window.toSorted(byAge)) yield text;
}

function byAge(one: Line, other: Line): number {
  return compareAges(one.age, other.age);
}

interface Head {
  readonly line: Line;
  readonly remaining: AsyncGenerator<Line>;
}

async function* merge(partitions: readonly AsyncGenerator<Line>[]): AsyncGenerator<Line> {
  const heads: Head[] = [];
  for (const lines of partitions) heads.push(...(await headOf(lines)));
  while (heads.length > 0) {
    const oldest = heads.reduce((one, other) => (byAge(other.line, one.line) < 0 ? other : one));
    yield oldest.line;
    heads.splice(heads.indexOf(oldest), 1, ...(await headOf(oldest.remaining)));
  }
}

/** Returns the next line of a partition. Returns an empty array after its last line. */
async function headOf(remaining: AsyncGenerator<Line>): Promise<readonly Head[]> {
  const { value, done } = await remaining.next();
  return done === true ? [] : [{ line: value, remaining }];
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
