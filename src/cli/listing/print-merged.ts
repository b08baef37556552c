import { headerText, type SourceRecord } from '../../certificates/record.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import { headerNames, timeText } from '../../kafka/records/headers.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { compareAges, type Age } from './selection.ts';

/** A partition of a scanned topic, from an offset or from its start. */
export interface ListedPartition {
  readonly scan: Pick<TopicScan, 'read'>;
  readonly partition: number;
  readonly from?: number | undefined;
}

/** The printed text of a record. Holds no reference to the fetch response, which can be freed. */
interface RecordLine {
  readonly age: Age;
  readonly text: string;
}

type ToLine = (record: SourceRecord) => RecordLine | undefined;

/** Prints a line for each record that has one, the newest last. `total` is the number of offsets, for the progress. */
export async function printMerged(
  parts: readonly ListedPartition[],
  toLine: ToLine,
  { what, total, screen }: { readonly what: string; readonly total: number; readonly screen: ProgressScreen },
  { out, drained }: Pick<Terminal, 'out' | 'drained'>,
): Promise<void> {
  // No bar: it would be drawn between the printed lines.
  using progress = new Progress(`listing ${what}`, total, { ...screen, bar: undefined });
  for await (const line of mergeByAge(parts, toLine, (offsets) => progress.advance(offsets))) {
    out(line);
    // Otherwise all lines would wait in memory for a slow reader.
    await drained();
  }
}

/** Formats a record as one JSON object: `fields`, its position and our own headers. Foreign headers are left out. */
export function recordJson(record: SourceRecord, fields: Readonly<Record<string, unknown>>): string {
  const { headers, partition, offset, timestamp } = record;
  const known = Object.values(headerNames).map((name) => [name, headerText(headers, name)] as const);
  return JSON.stringify({
    partition,
    offset,
    timestamp: timeText(timestamp) ?? null,
    ...fields,
    ...Object.fromEntries(known.filter(([, text]) => text !== undefined)),
  });
}

export function failureText({ headers }: SourceRecord): string | undefined {
  const texts = [headerNames.failureReason, headerNames.failureMessage].map((name) => headerText(headers, name));
  return texts.filter((text) => text !== undefined).join(': ') || undefined;
}

/** Number of lines that may precede an older line of their partition and are still sorted correctly. */
const windowLines = 10_000;

/**
 * Merges the lines of all partitions, the newest last. A partition is only nearly in the order of its times, because those
 * are taken before the write. At most two windows and one chunk of each partition are in memory.
 */
export async function* mergeByAge(
  parts: readonly ListedPartition[],
  toLine: ToLine,
  advance: (offsets: number) => void,
): AsyncGenerator<string> {
  let window: RecordLine[] = [];
  for await (const line of merge(parts.map((part) => linesOf(part, toLine, advance)))) {
    window.push(line);
    if (window.length < 2 * windowLines) continue;
    window = window.toSorted(byAge);
    for (const { text } of window.splice(0, windowLines)) yield text;
  }
  for (const { text } of window.toSorted(byAge)) yield text;
}

function byAge(one: RecordLine, other: RecordLine): number {
  return compareAges(one.age, other.age);
}

interface Head {
  readonly line: RecordLine;
  readonly remaining: AsyncGenerator<RecordLine>;
}

async function* merge(partitions: readonly AsyncGenerator<RecordLine>[]): AsyncGenerator<RecordLine> {
  const heads: Head[] = [];
  for (const lines of partitions) heads.push(...(await headOf(lines)));
  while (heads.length > 0) {
    const oldest = heads.reduce((one, other) => (byAge(other.line, one.line) < 0 ? other : one));
    yield oldest.line;
    heads.splice(heads.indexOf(oldest), 1, ...(await headOf(oldest.remaining)));
  }
}

/** Returns the next line of a partition. Returns an empty array after its last line. */
async function headOf(remaining: AsyncGenerator<RecordLine>): Promise<readonly Head[]> {
  const { value, done } = await remaining.next();
  return done === true ? [] : [{ line: value, remaining }];
}

async function* linesOf(
  { scan, partition, from }: ListedPartition,
  toLine: ToLine,
  advance: (offsets: number) => void,
): AsyncGenerator<RecordLine> {
  for await (const { records, offsets } of scan.read(partition, from)) {
    for (const record of records) {
      const line = toLine(record);
      if (line !== undefined) yield line;
    }
    advance(offsets);
  }
}
