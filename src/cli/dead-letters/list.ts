import { headerText } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter.ts';
import { headerNames, timeText } from '../../kafka/records/headers.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { ListDeadLettersCommand } from '../command.ts';
import { failureText, printMerged, recordJson } from '../listing/print-merged.ts';
import { ageOf } from '../listing/selection.ts';
import { ColumnTable, type Columns } from '../terminal/columns.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withKafka, type KafkaNeeds } from '../with-kafka.ts';
import type { ExitCode } from '../with-settings.ts';
import { scanDeadLetters } from './scan.ts';

/** Prints the selected dead letters, the newest last. */
export function listDeadLetters({ filter, json }: ListDeadLettersCommand, terminal: Terminal): Promise<ExitCode> {
  const needs: KafkaNeeds = { span: filter, topicsOf: (settings) => [wantedTopics(settings).deadLetters] };
  return withKafka(terminal, needs, async ({ screen, settings, ...tools }) => {
    const scan = await tools.scan(settings.deadLetters.topic);
    const table = new ColumnTable(columns);
    const found = await scanDeadLetters(scan, filter, screen, (letter) => {
      if (!json) table.measure({ letter, isReplayed: true });
    });
    if (!json && found.selected > 0) terminal.out(table.line());
    let replayedBefore = 0;
    const toLine: Parameters<typeof printMerged>[1] = (record) => {
      const read = readDeadLetter(record);
      if (read.kind === 'marker' || !found.isSelected(read.letter)) return undefined;
      const { letter } = read;
      const isReplayed = found.replayed.has(record, letter.source);
      if (isReplayed) replayedBefore += 1;
      const text = json ? recordJson(record, { replayed: isReplayed }) : table.line({ letter, isReplayed });
      return { age: ageOf(letter), text };
    };
    const parts = found.selected === 0 ? [] : scan.partitions.map((partition) => ({ scan, partition }));
    await printMerged(parts, toLine, { what: scan.topic, total: scan.offsets(), screen }, terminal);
    screen.err(`dead letters: ${found.selected}, replayed: ${replayedBefore}`);
    return 0;
  });
}

const columns: Columns<{ readonly letter: DeadLetter; readonly isReplayed: boolean }> = {
  'FAILED AT': ({ letter: { at } }) => timeText(at),
  REASON: ({ letter: { reason } }) => reason,
  REPLAYED: ({ isReplayed }) => (isReplayed ? 'yes' : 'no'),
  CONFIGURATION: ({ letter: { webhookId } }) => webhookId,
  CERTIFICATE: ({ letter: { certificateId } }) => certificateId,
  OWNER: ({ letter: { ownerId } }) => ownerId,
  ATTEMPTS: ({ letter: { of, record } }) =>
    of === 'delivery' ? headerText(record.headers, headerNames.attempt) : undefined,
  PLACE: ({ letter: { record } }) => `${record.partition}/${record.offset}`,
  SOURCE: ({ letter: { source } }) => source,
  FAILURE: ({ letter: { record } }) => failureText(record),
};
