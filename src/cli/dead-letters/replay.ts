import type { SourceRecord } from '../../certificates/record.ts';
import type { ReplayWriter } from '../../kafka/producer/replay-writer.ts';
import type { ScannedTopic } from '../../kafka/reader/topic-scan.ts';
import {
  readDeadLetter,
  type DeadLetter,
  withSourcePosition,
  originalRecord,
} from '../../kafka/records/dead-letter.ts';
import { ReplayedOffsets } from '../../kafka/records/replay-headers.ts';
import { tierTopicsIn } from '../../kafka/topics/wanted-topics.ts';
import { wantedTopics } from '../../service/configured-topics.ts';
import type { Settings } from '../../settings.ts';
import { positionText, type ReplayCommand } from '../command.ts';
import { readWhole } from '../read-topics.ts';
import { CountsByName, type ProgressScreen } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { firstTierTopic, withKafka, type KafkaTools } from '../with-kafka.ts';
import type { ExitCode } from '../with-settings.ts';
import { findUnmarkedSince, scanFirstTier, scanDeadLetters, type DeadLetterScan } from './scan.ts';
import type { Delivery } from '../../deliveries/delivery.ts';
import { readEnvelope } from '../../kafka/records/envelope.ts';
import type { Webhooks } from '../../service/webhook-directory.ts';
import type { Planner } from '../planner.ts';

export function replayDeadLetters(command: ReplayCommand, terminal: Terminal): Promise<ExitCode> {
  return withKafka(terminal, { span: command.filter, topicsOf }, (tools) => runReplay(command, tools, terminal));
}

function topicsOf(settings: Settings): readonly string[] {
  const { deadLetters, configurations = deadLetters } = wantedTopics(settings);
  return [deadLetters, firstTierTopic(settings), configurations];
}

export interface ReplayTools extends Pick<KafkaTools, 'settings' | 'screen'> {
  scan(topic: string): Promise<ScannedTopic>;
  writer(): Promise<Pick<ReplayWriter, 'publishRetries' | 'markReplayed'>>;
  planner(): Promise<ReplayOptions['planner']>;
}

/** Replays the dead letters that the filter selects, and prints what it did even if it fails. */
export async function runReplay(
  command: ReplayCommand,
  tools: ReplayTools,
  { out, err, signal }: Pick<Terminal, 'out' | 'err' | 'signal'>,
): Promise<0> {
  const { filter, again, dryRun } = command;
  const { screen, settings } = tools;
  const { certificates, tierPrefix, deadLetters } = wantedTopics(settings);
  const scan = await tools.scan(deadLetters);
  const deadLetterScan = await scanDeadLetters(scan, filter, screen);
  const counts = new ReplayCounts(deadLetterScan.selected);
  try {
    await replay(scan, {
      deadLetterScan,
      inFirstTier: again ? new ReplayedOffsets() : await findInFirstTier(scan, deadLetterScan, tools),
      again,
      writer: dryRun ? undefined : await tools.writer(),
      planner: await tools.planner(),
      isCertificateTopic: (topic) => certificates.includes(topic),
      isTier: (topic) => tierTopicsIn([topic], tierPrefix).length > 0,
      counts,
      screen,
      signal,
    });
  } finally {
    for (const line of counts.lines(dryRun)) out(line);
    if (signal.aborted) err('run it again to go on');
  }
  return 0;
}

/** Returns the dead letters that killed replays wrote to the first tier without a marker. */
async function findInFirstTier(
  scan: ScannedTopic,
  found: DeadLetterScan,
  tools: ReplayTools,
): Promise<ReplayedOffsets> {
  const { screen, settings } = tools;
  const since = found.selected === 0 ? undefined : await findUnmarkedSince(scan, found, screen);
  if (since === undefined) return new ReplayedOffsets();
  return scanFirstTier(await tools.scan(firstTierTopic(settings)), since, screen);
}

export interface ReplayOptions {
  readonly planner: Pick<Planner, 'decode' | 'plan'> & {
    webhooks(): Promise<Pick<Webhooks, 'ofOwner'>>;
  };
  readonly isCertificateTopic: (topic: string) => boolean;
  readonly isTier: (topic: string) => boolean;
  readonly deadLetterScan: Pick<DeadLetterScan, 'replayed' | 'selected' | 'isSelected'>;
  /** Dead letters that an interrupted replay put into the first tier without marking them. */
  readonly inFirstTier: ReplayedOffsets;
  readonly again: boolean;
  /** Undefined in a dry run, which only counts. */
  readonly writer: Pick<ReplayWriter, 'publishRetries' | 'markReplayed'> | undefined;
  readonly counts: ReplayCounts;
  readonly screen: ProgressScreen;
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
  const what = options.writer === undefined ? 'counting' : 'replaying';
  for await (const records of readWhole(what, scan, screen)) {
    const letters = records.flatMap((record) => pending(record, options));
    for (let at = 0; at < letters.length; at += batchSize) {
      signal.throwIfAborted();
      await replayBatch(letters.slice(at, at + batchSize), options);
    }
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
  const unwritten = letters.filter((letter) => !wasWritten(letter));
  const written = await writeToFirstTier(unwritten, options);
  await writer?.markReplayed([...writtenBefore, ...written]);
  counts.markedOnly += writtenBefore.length;
  counts.replayed += written.length;
}

/** Resolves to the dead letters whose deliveries are all in the first tier. */
async function writeToFirstTier(
  letters: readonly DeadLetter[],
  options: ReplayOptions,
): Promise<readonly DeadLetter[]> {
  const { counts, inFirstTier, again, writer, screen } = options;
  const planned = [];
  for (const letter of letters) {
    const result = await replayableDeliveries(letter, screen.clock.now(), options);
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

/** Counts what a replay did, in dead letters unless a field says otherwise. */
export class ReplayCounts {
  readonly #selected: number;
  replayedBefore = 0;
  /** Dead letters that were only marked: an interrupted replay had put them into the first tier already. */
  markedOnly = 0;
  replayed = 0;
  /** The part of `replayed` with at least one delivery that was in the first tier already. */
  repeated = 0;
  readonly notReplayed = new CountsByName();
  readonly deliveries = new CountsByName();

  constructor(selected: number) {
    this.#selected = selected;
  }

  lines(isDryRun: boolean): readonly string[] {
    const would = isDryRun ? 'to be ' : '';
    return [
      `dead letters meant: ${this.#selected}`,
      `replayed before: ${this.replayedBefore}`,
      `already in the first tier, ${would}marked now: ${this.markedOnly}`,
      `${would}replayed: ${this.replayed}`,
      ...(this.repeated === 0 ? [] : [`  of these may come twice: ${this.repeated}`]),
      `deliveries: ${this.deliveries.total}`,
      ...this.deliveries.lines(),
      `not replayed: ${this.notReplayed.total}`,
      ...this.notReplayed.lines(),
    ];
  }
}

type ReplayableDeliveries =
  | { readonly kind: 'deliveries'; readonly deliveries: readonly Delivery[] }
  | { readonly kind: 'not_replayable'; readonly reason: string };

/** Restarts a delivery with its first attempt, planned at `now`. Decodes a record and plans its deliveries again. */
async function replayableDeliveries(
  { of, record }: DeadLetter,
  now: number,
  options: ReplayOptions,
): Promise<ReplayableDeliveries> {
  if (record.value === null) return notReplayable('its value is not there');
  if (of === 'delivery') return restartDelivery(record, now);
  const original = originalRecord(record);
  if (original === undefined) return notReplayable('its headers do not say where it comes from');
  if (options.isTier(original.topic)) return restartDelivery(withSourcePosition(original), now);
  if (options.isCertificateTopic(original.topic)) return planAgain(original, options);
  return notReplayable('it comes from a topic that is not in CERTIFICATE_TOPICS');
}

function restartDelivery(record: SourceRecord, now: number): ReplayableDeliveries {
  const envelope = readEnvelope(record);
  if (envelope.kind === 'unreadable') return notReplayable(envelope.problem);
  if (envelope.kind === 'result') return notReplayable('it is a result of a delivery that was made');
  return { kind: 'deliveries', deliveries: [{ ...envelope.delivery, ...firstAttempt, plannedAt: now }] };
}

const firstAttempt = { attempt: 1, deferrals: 0, firstAttemptedAt: undefined, lastFailure: undefined } as const;

async function planAgain(record: SourceRecord, { planner }: ReplayOptions): Promise<ReplayableDeliveries> {
  const decoded = await planner.decode(record);
  switch (decoded.kind) {
    case 'ignored':
      return notReplayable('it is meant for nobody');
    case 'rejected':
      return notReplayable(`it is still ${decoded.rejection.reason}`);
    case 'certificate': {
      const webhooks = (await planner.webhooks()).ofOwner(decoded.certificate.ownerId);
      const deliveries = planner.plan(record, decoded.certificate, webhooks);
      if (deliveries.length === 0) return notReplayable('no configuration of its owner wants it');
      return { kind: 'deliveries', deliveries };
    }
  }
}

function notReplayable(reason: string): ReplayableDeliveries {
  return { kind: 'not_replayable', reason };
}
