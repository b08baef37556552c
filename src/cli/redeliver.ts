import type { SourceRecord } from '../certificates/record.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { ReplayWriter } from '../kafka/producer/replay-writer.ts';
import type { ScannedTopic } from '../kafka/reader/topic-scan.ts';
import { systemClock } from '../lib/clock.ts';
import { wantedTopics } from '../service/configured-topics.ts';
import type { Settings } from '../settings.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { positionText, type RecordPosition, type RedeliverCommand } from './command.ts';
import type { Planner } from './planner.ts';
import { CountsByName, Progress, type ProgressScreen } from './terminal/progress.ts';
import type { Terminal } from './terminal/terminal.ts';
import { resolveSpan } from './terminal/time-argument.ts';
import { firstTierTopic, withKafka } from './with-kafka.ts';
import type { ExitCode } from './with-settings.ts';

export function runRedeliver(command: RedeliverCommand, terminal: Terminal): Promise<ExitCode> {
  // Fixed here, so that an interrupted run prints arguments for exactly its own time range.
  const now = systemClock.now();
  return withKafka(terminal, { span: command, topicsOf }, async (tools) => {
    const planner = await tools.planner();
    const webhook = (await planner.webhooks()).byId(command.webhookId);
    const { certificates } = wantedTopics(tools.settings);
    const scans = await Promise.all(certificates.map(async (topic) => tools.scan(topic)));
    const { out, err, signal } = terminal;
    const problem = problemOf(webhook, command, scans);
    if (webhook === undefined || problem !== undefined) {
      err(`error: ${problem}`);
      return 2;
    }
    const { from, dryRun } = command;
    const [since, until] = resolveSpan(command.since, command.until, now);
    const counts = new RedeliverCounts();
    const common = { webhook, since, until, from, planner, counts, screen: tools.screen, signal };
    let isDone = false;
    try {
      await redeliver(scans, { ...common, writer: dryRun ? undefined : await tools.writer() });
      isDone = true;
    } finally {
      for (const line of counts.lines(dryRun)) out(line);
      const next = counts.next ?? from;
      const end = command.until === undefined ? '' : ` --until ${new Date(until).toISOString()}`;
      if (!isDone && next !== undefined)
        err(`to go on: --since ${new Date(since).toISOString()}${end} --from ${positionText(next)}`);
    }
    return 0;
  });
}

function topicsOf(settings: Settings): readonly string[] {
  const { certificates, configurations } = wantedTopics(settings);
  return [...certificates, firstTierTopic(settings), ...(configurations === undefined ? [] : [configurations])];
}

function problemOf(
  webhook: Webhook | undefined,
  { webhookId, from }: RedeliverCommand,
  scans: readonly CertificateScan[],
): string | undefined {
  if (webhook === undefined) return `there is no configuration ${webhookId}`;
  switch (webhook.state) {
    case 'active':
      if (from === undefined || partitionsOf(scans).some((part) => isAt(part, from))) return undefined;
      return `--from is ${positionText(from)}: there is no such partition among CERTIFICATE_TOPICS`;
    case 'paused':
      return `the configuration ${webhookId} is paused: its deliveries would wait until they are too old`;
    case 'disabled':
      return `the configuration ${webhookId} is not enabled: nothing would be delivered`;
    case 'invalid':
      return `the configuration ${webhookId} is refused: configurations list says why`;
  }
}

export interface RedeliverOptions {
  readonly webhook: Webhook;
  /** The earliest record timestamp, in epoch milliseconds. */
  readonly since: number;
  /** The time that every record timestamp has to be before, in epoch milliseconds. */
  readonly until: number;
  /** The position that an earlier run reached. Records before it are skipped. */
  readonly from: RecordPosition | undefined;
  readonly planner: Pick<Planner, 'decode' | 'plan'>;
  /** Undefined in a dry run, which only counts. */
  readonly writer: Pick<ReplayWriter, 'publishRetries'> | undefined;
  readonly counts: RedeliverCounts;
  readonly screen: ProgressScreen;
  readonly signal: AbortSignal;
}

export class RedeliverCounts {
  records = 0;
  deliveries = 0;
  /** Number of records in the time range that were not redelivered, by reason. */
  readonly leftOut = new CountsByName();
  /** The position of the next record. Everything before it is done. */
  next: RecordPosition | undefined;

  lines(isDryRun: boolean): readonly string[] {
    return [
      `records of that time: ${this.records}`,
      `deliveries ${isDryRun ? 'to be put' : 'put'} into the first tier: ${this.deliveries}`,
      `left out: ${this.leftOut.total}`,
      ...this.leftOut.lines(),
    ];
  }
}

export type CertificateScan = Omit<ScannedTopic, 'readAll'>;

/**
 * Writes deliveries of the certificates in a time range to the first tier, for one webhook. Reads topics and partitions
 * one after the other in a fixed order, so that one position describes the progress. Timestamps in a partition need not
 * ascend. Each partition is therefore read to its end, from its first record with a timestamp of `since` or later.
 */
export async function redeliver(topics: readonly CertificateScan[], options: RedeliverOptions): Promise<void> {
  const { since, from, counts, signal } = options;
  const all = partitionsOf(topics);
  const first = from === undefined ? 0 : all.findIndex((part) => isAt(part, from));
  const starts = new Map(
    await Promise.all(topics.map(async (scan) => [scan, await scan.offsetsForTime(since)] as const)),
  );
  const total = topics.reduce((sum, scan) => sum + scan.offsets(starts.get(scan)), 0);
  using progress = new Progress('redelivering', total, options.screen);
  for (const part of all.slice(first)) {
    const { scan, partition } = part;
    const start = starts.get(scan)?.get(partition) ?? 0;
    const begin = from !== undefined && isAt(part, from) ? Math.max(start, from.offset) : start;
    for await (const { records, offsets } of scan.read(partition, begin)) {
      signal.throwIfAborted();
      await redeliverChunk(records, options);
      const last = records.at(-1);
      if (last !== undefined) counts.next = { topic: scan.topic, partition, offset: last.offset + 1 };
      progress.advance(offsets);
    }
  }
}

function partitionsOf(topics: readonly CertificateScan[]) {
  return topics.flatMap((scan) => scan.partitions.map((partition) => ({ scan, partition })));
}

function isAt({ scan, partition }: ReturnType<typeof partitionsOf>[number], position: RecordPosition): boolean {
  return scan.topic === position.topic && partition === position.partition;
}

async function redeliverChunk(records: readonly SourceRecord[], options: RedeliverOptions): Promise<void> {
  const { since, until, writer, counts } = options;
  const planned: Delivery[] = [];
  for (const record of records) {
    const { timestamp } = record;
    if (timestamp === undefined || timestamp < since || timestamp >= until) continue;
    counts.records += 1;
    planned.push(...(await planRecord(record, options)));
  }
  const outgoing = planned.map((delivery) => ({ delivery, letter: undefined }));
  const results = (await writer?.publishRetries(outgoing)) ?? outgoing.map(() => 'written' as const);
  const written = results.filter((result) => result === 'written').length;
  counts.deliveries += written;
  counts.leftOut.add('a broker refuses it for its size', results.length - written);
}

async function planRecord(
  record: SourceRecord,
  { planner, webhook, counts }: RedeliverOptions,
): Promise<readonly Delivery[]> {
  const decoded = await planner.decode(record);
  switch (decoded.kind) {
    case 'ignored':
      counts.leftOut.add('meant for nobody');
      return [];
    case 'rejected':
      counts.leftOut.add(decoded.rejection.reason);
      return [];
    case 'certificate': {
      const deliveries = planner.plan(record, decoded.certificate, [webhook]);
      if (deliveries.length === 0)
        counts.leftOut.add(
          decoded.certificate.ownerId === webhook.ownerId ? 'an event that it does not want' : "another owner's",
        );
      return deliveries;
    }
  }
}
