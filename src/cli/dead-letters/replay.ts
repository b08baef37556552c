import type { SourceRecord } from '../../certificates/record.ts';
import { readDeadLetter, type DeadLetter } from '../../kafka/records/dead-letter-reading.ts';
import type { ReplayWriter } from '../../kafka/producer/replay-writer.ts';
import type { ReplayedOffsets } from '../../kafka/records/replayed-offsets.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import type { Clock } from '../../lib/clock.ts';
import { Progress, type ProgressScreen } from '../terminal/progress.ts';
import { positionText } from '../redeliver/redeliver-command.ts';
import { replayableDeliveries, type ReplayableOptions } from './replayable-deliveries.ts';
import type { ReplayCounts } from './replay-counts.ts';
import type { DeadLetterScan } from './dead-letter-scan.ts';

export interface ReplayOptions extends ReplayableOptions {
  readonly deadLetterScan: Pick<DeadLetterScan, 'replayed' | 'selected' | 'isSelected'>;
  /** Dead letters that an interrupted replay put into the first tier without marking them. */
  readonly inFirstTier: ReplayedOffsets;
  /** Replays dead letters that were replayed before, too. */
  readonly again: boolean;
  /** Undefined in a dry run, which only counts. */
  readonly writer: Pick<ReplayWriter, 'publishRetries' | 'markReplayed'> | undefined;
  readonly counts: ReplayCounts;
  readonly screen: ProgressScreen;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

/** Number of dead letters per batch. A killed replay leaves at most one batch in the first tier without markers. */
export const batchSize = 500;

/**
 * Replays dead letters in batches: writes the deliveries of a batch to the first tier, then its markers, then starts
 * the next batch. Once the signal is aborted, throws its reason before the next batch.
 */
export async function replay(scan: Pick<ScannedTopic, 'offsets' | 'readAll'>, options: ReplayOptions): Promise<void> {
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

function pending(record: SourceRecord, { deadLetterScan, again, counts }: ReplayOptions): readonly DeadLetter[] {
  const found = readDeadLetter(record);
  if (found.kind === 'marker' || !deadLetterScan.isSelected(found.letter)) return [];
  const { letter } = found;
  if (again || !deadLetterScan.replayed.has(letter.record, letter.source)) return [letter];
  counts.replayedBefore += 1;
  return [];
}

async function replayBatch(letters: readonly DeadLetter[], options: ReplayOptions): Promise<void> {
  const { inFirstTier, again, counts, writer } = options;
  // The dead letter of a record may have several deliveries, and the first tier does not show if all were written.
  const wasWritten = ({ record, source, of }: DeadLetter): boolean =>
    !again && of === 'delivery' && inFirstTier.has(record, source);
  const writtenBefore = letters.filter(wasWritten);
  const written = await writeToFirstTier(
    letters.filter((letter) => !wasWritten(letter)),
    options,
  );
  await writer?.markReplayed([...writtenBefore, ...written]);
  counts.markedOnly += writtenBefore.length;
  counts.replayed += written.length;
}

/** Resolves to the dead letters whose deliveries are all in the first tier. */
async function writeToFirstTier(
  letters: readonly DeadLetter[],
  options: ReplayOptions,
): Promise<readonly DeadLetter[]> {
  const { counts, inFirstTier, again, writer, clock } = options;
  const planned = [];
  for (const letter of letters) {
    const result = await replayableDeliveries(letter, clock.now(), options);
    if (result.kind === 'not_replayable') counts.notReplayed.add(result.reason);
    else planned.push({ letter, deliveries: result.deliveries });
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
    // A delivery of a tier's record names the certificate record, and not the record of the tier.
    const wasWritten = deliveries.some(({ source }) => inFirstTier.has(letter.record, positionText(source)));
    if (!again && wasWritten) counts.repeated += 1;
  }
  return done.map(({ letter }) => letter);
}
