import { headerText, type SourceRecord } from '../certificates/record.ts';
import { headerNames as names, headerTime, timeText } from '../kafka/records/headers.ts';
import { sourceName } from '../kafka/records/replay-headers.ts';
import type { ListRetriesCommand } from './command.ts';
import { failureText, printMerged, recordJson } from './listing/print-merged.ts';
import { ageOf, Selection, type Listed } from './listing/selection.ts';
import { readTopics, type Reading } from './read-topics.ts';
import { ColumnTable, type Columns } from './terminal/columns.ts';
import type { Terminal } from './terminal/terminal.ts';
import { openTiers, type OpenTier } from './tiers.ts';
import { firstTierTopic, withKafka, type KafkaNeeds } from './with-kafka.ts';
import type { ExitCode } from './with-settings.ts';

/** Prints what waits in the tiers: what the group has not settled, what is due last at the end. */
export function listRetries({ filter, tierMs, json }: ListRetriesCommand, terminal: Terminal): Promise<ExitCode> {
  const needs: KafkaNeeds = { span: filter, topicsOf: (settings) => [firstTierTopic(settings)] };
  return withKafka(terminal, needs, async (tools) => {
    const { screen } = tools;
    const all = await openTiers(tools);
    const tiers = all.filter(({ tier }) => tierMs === undefined || tier.delayMs === tierMs);
    if (tiers.length === 0) {
      screen.err(`error: there is no such retry topic: --tier takes ${all.map(({ tier }) => tier.label).join(', ')}`);
      return 2;
    }
    const selection = new Selection(filter, screen.clock.now());
    const table = new ColumnTable(columns);
    const readings = tiers.map((open): Reading => {
      const take = (record: SourceRecord): void => {
        const retry = readWaiting(record, open);
        if (retry !== undefined && selection.offer(retry)) table.measure(retry);
      };
      return { ...open, take };
    });
    await readTopics('looking through the retry topics', readings, screen);
    if (!json && selection.selected > 0) terminal.out(table.line());
    const byTopic = new Map(tiers.map((open) => [open.scan.topic, open]));
    const toLine: Parameters<typeof printMerged>[1] = (record) => {
      const open = byTopic.get(record.topic);
      const retry = open && readWaiting(record, open);
      if (retry === undefined || !selection.isSelected(retry)) return undefined;
      return { age: ageOf(retry), text: json ? recordJson(record, { tier: retry.tier }) : table.line(retry) };
    };
    const parts = (selection.selected === 0 ? [] : tiers).flatMap(({ scan, starts }) =>
      scan.partitions.map((partition) => ({ scan, partition, from: starts.get(partition) })),
    );
    const total = tiers.reduce((sum, { scan, starts }) => sum + scan.offsets(starts), 0);
    await printMerged(parts, toLine, { what: 'the retry topics', total, screen }, terminal);
    screen.err(`waiting: ${selection.selected}`);
    return 0;
  });
}

interface WaitingRetry extends Listed {
  readonly tier: string;
}

/** Returns undefined for what is settled, and for a result that waits for the results topic. */
function readWaiting(record: SourceRecord, { tier, ...open }: OpenTier): WaitingRetry | undefined {
  const { headers, partition, offset, timestamp = 0 } = record;
  if (open.isSettled(partition, offset) || headerText(headers, names.owedResult) !== undefined) return undefined;
  return {
    record,
    webhookId: headerText(headers, names.webhookId),
    ownerId: headerText(headers, names.ownerId),
    certificateId: headerText(headers, names.certificateId),
    reason: headerText(headers, names.failureReason),
    at: headerTime(headers, names.dueAt) ?? timestamp + tier.delayMs,
    tier: tier.label,
  };
}

const columns: Columns<WaitingRetry> = {
  'DUE AT': ({ at }) => timeText(at),
  TIER: ({ tier }) => tier,
  CONFIGURATION: ({ webhookId }) => webhookId,
  CERTIFICATE: ({ certificateId }) => certificateId,
  OWNER: ({ ownerId }) => ownerId,
  ATTEMPTS: ({ record }) => headerText(record.headers, names.attempt),
  PLACE: ({ record }) => `${record.partition}/${record.offset}`,
  SOURCE: ({ record }) => sourceName(record.headers),
  FAILURE: ({ record }) => failureText(record),
};
