import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { ReplayWriter } from '../../kafka/producer/replay-writer.ts';
import type { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import type { TopicScan } from '../../kafka/reader/topic-scan.ts';
import type { Clock } from '../../lib/clock.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import { replayableDeliveries, type ReplayableOptions } from './replayable-deliveries.ts';
import type { ReplayCounts } from './replay-counts.ts';
import type { DeadLetterScan } from './dead-letter-scan.ts';

export interface ReplayOptions extends ReplayableOptions {
  readonly deadLetterScan: DeadLetterScan;
  /** Put into the first tier by a replay that did not come to mark them. */
  readonly inFirstTier: ReplayedOffsets;
  /** Those that were replayed before, too. */
  readonly again: boolean;
  /** Undefined for a dry run, which only counts. */
  readonly writer: Pick<ReplayWriter, 'publishRetries' | 'markReplayed'> | undefined;
  readonly counts: ReplayCounts;
  readonly screen: ProgressScreen;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** So many dead letters at most are with the brokers and not marked yet: what a kill may leave to be found. */
export const batchSize = 500;

/**
 * Puts dead letters back for delivery: a batch is written to the first tier, then marked, then comes the next. Throws the
 * signal's reason between two batches once it is aborted.
 */
export async function replay(scan: Pick<TopicScan, 'offsets' | 'readAll'>, options: ReplayOptions): Promise<void> {
  const { screen, signal } = options;
  using progress = new Progress(options.writer === undefined ? 'counting' : 'replaying', scan.offsets(), screen);
  for await (const { records, offsets } of scan.readAll()) {
    const letters = records.flatMap((record) => pending(record, options));
    for (let at = 0; at < letters.length; at += batchSize) {
      signal.throwIfAborted();
      await replayBatch(letters.slice(at, at + batchSize), options);
    }
    progress.advance(offsets);
  }
}

function pending(record: SourceRecord, { deadLetterScan: survey, again, counts }: ReplayOptions): readonly DeadLetter[] {
  const found = readDeadLetter(record);
  if (found.kind === 'marker' || !survey.isSelected(found.letter)) return [];
  const { letter } = found;
  if (again || !survey.replayed.has(letter.record, letter.source)) return [letter];
  counts.replayedBefore += 1;
  return [];
}

async function replayBatch(letters: readonly DeadLetter[], options: ReplayOptions): Promise<void> {
  const { inFirstTier: unmarked, again, counts, writer } = options;
  // A record's dead letter may have come to several deliveries: whether all of them are there nobody can tell.
  const isThere = ({ record, source, of }: DeadLetter): boolean =>
    !again && of === 'delivery' && unmarked.has(record, source);
  const there = letters.filter(isThere);
  const written = await putBack(
    letters.filter((letter) => !isThere(letter)),
    options,
  );
  await writer?.markReplayed([...there, ...written]);
  counts.markedOnly += there.length;
  counts.replayed += written.length;
}

/** Resolves to those whose deliveries are all in the first tier. */
async function putBack(letters: readonly DeadLetter[], options: ReplayOptions): Promise<readonly DeadLetter[]> {
  const { counts, inFirstTier: unmarked, again, writer, clock } = options;
  const planned = [];
  for (const letter of letters) {
    const revival = await replayableDeliveries(letter, clock.now(), options);
    if (revival.kind === 'stays') counts.notReplayed.add(revival.why);
    else planned.push({ letter, deliveries: revival.deliveries });
  }
  const outgoing = planned.flatMap(({ letter, deliveries }) =>
    deliveries.map((delivery) => ({ delivery, letter: letter.record })),
  );
  const results = (await writer?.publishRetries(outgoing)) ?? outgoing.map(() => 'written' as const);
  const refused = new Set(outgoing.filter((_, index) => results[index] === 'too_large').map(({ letter }) => letter));
  const done = planned.filter(({ letter }) => !refused.has(letter.record));
  counts.notReplayed.add('a broker refuses it for its size', refused.size);
  for (const { letter, deliveries } of done) {
    for (const { webhookId } of deliveries) counts.deliveries.add(webhookId);
    if (!again && unmarked.has(letter.record, letter.source)) counts.repeated += 1;
  }
  return done.map(({ letter }) => letter);
}
