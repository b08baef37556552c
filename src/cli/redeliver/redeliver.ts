import type { SourceRecord } from '../../certificates/record.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import type { ReplayWriter } from '../../kafka/producer/replay-writer.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import type { Webhook } from '../../webhooks/webhook.ts';
import type { Planner } from '../planner.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import type { RecordPlace } from './redeliver-command.ts';
import { CountsByName } from '../terminal/counts-by-name.ts';

export interface RedeliverOptions {
  readonly webhook: Webhook;
  /** Epoch milliseconds of the records' own times: from the first on, before the second. */
  readonly since: number;
  readonly until: number;
  /** What comes before is left out. */
  readonly from: RecordPlace | undefined;
  readonly planner: Pick<Planner, 'decode' | 'plan'>;
  /** Undefined for a dry run, which only counts. */
  readonly writer: Pick<ReplayWriter, 'publishRetries'> | undefined;
  readonly counts: RedeliverCounts;
  readonly screen: ProgressScreen;
  readonly signal: AbortSignal;
}

/** What it came to so far. */
export class RedeliverCounts {
  /** Within the time. */
  records = 0;
  deliveries = 0;
  /** Within the time, and not delivered: by the reason. */
  readonly left = new CountsByName();
  /** All before this is done. */
  next: RecordPlace | undefined;

  lines(isDryRun: boolean): readonly string[] {
    return [
      `records of that time: ${this.records}`,
      `deliveries ${isDryRun ? 'to be put' : 'put'} into the first tier: ${this.deliveries}`,
      `left out: ${this.left.total}`,
      ...this.left.lines(),
    ];
  }
}

export type CertificateScan = Pick<TopicScan, 'topic' | 'partitions' | 'offsetsForTime' | 'offsets' | 'read'>;

/**
 * Puts the certificates of a time into the first tier for one webhook. Topics and partitions are read one after the other
 * in a fixed order, so that one place says how far it came. A record's time need not be later than that of the record
 * before it, so each partition is read from its first record of that time or later to its end.
 */
export async function redeliver(topics: readonly CertificateScan[], options: RedeliverOptions): Promise<void> {
  const { since, from, counts, signal } = options;
  const all = topics.flatMap((scan) => scan.partitions.map((partition) => ({ scan, partition })));
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
      await redeliverPiece(records, options);
      const last = records.at(-1);
      if (last !== undefined) counts.next = { topic: scan.topic, partition, offset: last.offset + 1 };
      progress.advance(offsets);
    }
  }
}

/** Whether the place is in one of its partitions. */
export function isPartOf(scan: CertificateScan, place: RecordPlace): boolean {
  return scan.partitions.some((partition) => isAt({ scan, partition }, place));
}

function isAt(part: { readonly scan: CertificateScan; readonly partition: number }, place: RecordPlace): boolean {
  return part.scan.topic === place.topic && part.partition === place.partition;
}

async function redeliverPiece(records: readonly SourceRecord[], options: RedeliverOptions): Promise<void> {
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
  counts.left.add('a broker refuses it for its size', results.length - written);
}

async function planRecord(
  record: SourceRecord,
  { planner, webhook, counts }: RedeliverOptions,
): Promise<readonly Delivery[]> {
  const decoded = await planner.decode(record);
  switch (decoded.kind) {
    case 'ignored':
      counts.left.add('meant for nobody');
      return [];
    case 'rejected':
      counts.left.add(decoded.rejection.reason);
      return [];
    case 'certificate': {
      const deliveries = planner.plan(record, decoded.certificate, [webhook]);
      if (deliveries.length === 0)
        counts.left.add(
          decoded.certificate.ownerId === webhook.ownerId ? 'an event that it does not want' : "another owner's",
        );
      return deliveries;
    }
  }
}
