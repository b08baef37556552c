import { headerText } from '../../certificates/record.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter.ts';
import { headerNames } from '../../kafka/records/headers.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { ListDeadLettersCommand } from '../command.ts';
import { ColumnTable, type Columns } from '../terminal/columns.ts';
import { Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withKafka, type KafkaTools } from '../with-kafka.ts';
import type { ExitCode } from '../with-settings.ts';
import { ageOf, compareAges, scanDeadLetters, type Age } from './scan.ts';

export function listDeadLetters(command: ListDeadLettersCommand, terminal: Terminal): Promise<ExitCode> {
  return withKafka(
    terminal,
    { span: command.filter, topicsOf: (settings) => [wantedTopics(settings).deadLetters] },
    (tools) => printDeadLetters(command, tools, terminal),
  );
}

/** Prints the selected dead letters, the newest last. */
async function printDeadLetters(
  { filter, json }: ListDeadLettersCommand,
  { screen, settings, ...tools }: KafkaTools,
  { out, drained }: Terminal,
): Promise<0> {
  const scan = await tools.scan(settings.deadLetters.topic);
  const table = new ColumnTable(columns);
  const found = await scanDeadLetters(scan, filter, screen, (letter) => {
    if (!json) table.measure({ letter, isReplayed: true });
  });
  if (!json && found.selected > 0) out(table.line());
  let replayedBefore = 0;
  const toLine = (letter: DeadLetter): LetterLine | undefined => {
    if (!found.isSelected(letter)) return undefined;
    const isReplayed = found.replayed.has(letter.record, letter.source);
    if (isReplayed) replayedBefore += 1;
    return { age: ageOf(letter), text: json ? jsonOf(letter, isReplayed) : table.line({ letter, isReplayed }) };
  };
  // No bar: it would be drawn between the printed lines.
  using progress = new Progress(`listing ${scan.topic}`, scan.offsets(), { ...screen, bar: undefined });
  const lines = found.selected === 0 ? [] : mergeByAge(scan, toLine, (offsets) => progress.advance(offsets));
  for await (const line of lines) {
    out(line);
    // Otherwise all lines would wait in memory for a slow reader.
    await drained();
  }
  screen.err(`dead letters: ${found.selected}, replayed: ${replayedBefore}`);
  return 0;
}

interface LetterRow {
  readonly letter: DeadLetter;
  readonly isReplayed: boolean;
}

const columns: Columns<LetterRow> = {
  'FAILED AT': ({ letter: { failedAt } }) => isoText(failedAt),
  REASON: ({ letter: { reason } }) => reason,
  REPLAYED: ({ isReplayed }) => (isReplayed ? 'yes' : 'no'),
  CONFIGURATION: ({ letter: { webhookId } }) => webhookId,
  CERTIFICATE: ({ letter: { certificateId } }) => certificateId,
  OWNER: ({ letter: { ownerId } }) => ownerId,
  ATTEMPTS: ({ letter: { of, record } }) =>
    of === 'delivery' ? headerText(record.headers, headerNames.attempt) : undefined,
  PLACE: ({ letter: { record } }) => `${record.partition}/${record.offset}`,
  SOURCE: ({ letter: { source } }) => source,
  FAILURE: ({ letter: { record } }) =>
    [headerNames.failureReason, headerNames.failureMessage]
      .map((name) => headerText(record.headers, name))
      .filter((part) => part !== undefined)
      .join(': ') || undefined,
};

/** Formats a dead letter as one JSON object: its position and our own headers. Foreign headers are left out. */
function jsonOf({ record }: DeadLetter, replayed: boolean): string {
  const { headers, partition, offset, timestamp } = record;
  const known = Object.values(headerNames).flatMap((name) => {
    const text = headerText(headers, name);
    return text === undefined ? [] : [[name, text] as const];
  });
  return JSON.stringify({
    partition,
    offset,
    timestamp: timestamp === undefined ? null : isoText(timestamp),
    replayed,
    ...Object.fromEntries(known),
  });
}

function isoText(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString();
}

/** The printed text of a dead letter. Holds no reference to the fetch response, which can be freed. */
interface LetterLine {
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
  toLine: (letter: DeadLetter) => LetterLine | undefined,
  advance: (offsets: number) => void,
): AsyncGenerator<string> {
  let window: LetterLine[] = [];
  for await (const line of merge(scan.partitions.map((partition) => linesOf(scan, partition, toLine, advance)))) {
    window.push(line);
    if (window.length < 2 * windowLines) continue;
    window = window.toSorted(byAge);
    for (const { text } of window.splice(0, windowLines)) yield text;
  }
  for (const { text } of window.toSorted(byAge)) yield text;
}

function byAge(one: LetterLine, other: LetterLine): number {
  return compareAges(one.age, other.age);
}

interface Head {
  readonly line: LetterLine;
  readonly remaining: AsyncGenerator<LetterLine>;
}

async function* merge(partitions: readonly AsyncGenerator<LetterLine>[]): AsyncGenerator<LetterLine> {
  const heads: Head[] = [];
  for (const lines of partitions) heads.push(...(await headOf(lines)));
  while (heads.length > 0) {
    const oldest = heads.reduce((one, other) => (byAge(other.line, one.line) < 0 ? other : one));
    yield oldest.line;
    heads.splice(heads.indexOf(oldest), 1, ...(await headOf(oldest.remaining)));
  }
}

/** Returns the next line of a partition. Returns an empty array after its last line. */
async function headOf(remaining: AsyncGenerator<LetterLine>): Promise<readonly Head[]> {
  const { value, done } = await remaining.next();
  return done === true ? [] : [{ line: value, remaining }];
}

async function* linesOf(
  scan: Pick<TopicScan, 'partitions' | 'read'>,
  partition: number,
  toLine: (letter: DeadLetter) => LetterLine | undefined,
  advance: (offsets: number) => void,
): AsyncGenerator<LetterLine> {
  for await (const { records, offsets } of scan.read(partition)) {
    for (const record of records) {
      const found = readDeadLetter(record);
      const line = found.kind === 'letter' ? toLine(found.letter) : undefined;
      if (line !== undefined) yield line;
    }
    advance(offsets);
  }
}
