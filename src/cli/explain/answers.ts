import type { EventType } from '../../certificates/certificate.ts';
import { attemptOutcomes } from '../../deliveries/outcome.ts';
import { timeText } from '../../kafka/records/headers.ts';
import { positionText } from '../command.ts';
import type { GroupTopic } from '../tiers.ts';
import { progressOf, type FoundRecord, type RecordProblem, type RecordProgress } from './certificate-records.ts';
import type { ConfigurationHistory, ConfigurationVersion } from './configuration-history.ts';
import type { DeadLetterEvent, LetterMark, DeliveryEvent, DeliveryEvents, ResultEvent } from './delivery-events.ts';

/** The answer for one record of the certificate. Printed as JSON, so times are ISO 8601. */
export interface RecordAnswer {
  /** `topic/partition/offset` */
  readonly place: string;
  readonly timestamp: string | null;
  /** Null if the record can't be decoded. */
  readonly ownerId: string | null;
  readonly eventType: string | null;
  readonly isInTopic: boolean;
  /** Why it is no certificate, although the id stands in it. */
  readonly problem: RecordProblem | null;
  readonly progress: RecordProgress;
  /** Dead letters of the whole record. */
  readonly deadLetters: readonly DeadLetterAnswer[];
  readonly webhooks: readonly WebhookAnswer[];
}

export interface CollectedTraces {
  readonly certificates: readonly GroupTopic[];
  readonly events: DeliveryEvents;
  readonly history: ConfigurationHistory;
  readonly hasResults: boolean;
}

export function answerOf(
  found: FoundRecord,
  { certificates, events, history, hasResults }: CollectedTraces,
): RecordAnswer {
  const { content, timestamp, isInTopic } = found;
  const place = positionText(found);
  const progress = progressOf(found, certificates);
  const letters = events.lettersOf(place);
  const markOf: DeliveryEvents['markOf'] = (letter) => events.markOf(letter);
  const { ownerId, eventType } = content.kind === 'certificate' ? content : unknown;
  const versions = ownerId === undefined ? new Map<string, never>() : history.ofOwner(ownerId);
  const traces = events.ofRecord(place);
  const ids = [...new Set([...versions.keys(), ...traces.keys()])].toSorted();
  return {
    place,
    timestamp: timeText(timestamp) ?? null,
    ownerId: ownerId ?? null,
    eventType: eventType ?? null,
    isInTopic,
    problem: content.kind === 'certificate' ? null : content,
    progress,
    deadLetters: letters.map((letter) => letterAnswer(letter, markOf(letter))),
    webhooks: ids.map((configurationId) =>
      answerFor({
        configurationId,
        ownerId: ownerId ?? '',
        eventType,
        timestamp,
        progress,
        events: traces.get(configurationId) ?? [],
        letters,
        versions: versions.get(configurationId) ?? [],
        hasResults,
        markOf,
      }),
    ),
  };
}

const unknown = { ownerId: undefined, eventType: undefined };

/** The answer for one webhook of a certificate record. Printed as JSON, so times are ISO 8601. */
export type WebhookAnswer = StateForWebhook & {
  readonly configurationId: string;
  readonly attempts: readonly AttemptMade[];
  /** The version that stood when the record was written, or stands now if the record is not settled. */
  readonly configuration?: VersionAnswer | undefined;
  /** The first version after that one. */
  readonly changed?: VersionAnswer | undefined;
};

type StateForWebhook =
  | { readonly state: 'delivered'; readonly at: Time; readonly status?: number | undefined; readonly attempt: number }
  /** `behind` is the number of records before it in its partition that are not settled. `reason` is its last outcome. */
  | {
      readonly state: 'waiting';
      readonly tier: string;
      readonly dueAt: Time;
      readonly behind: number;
      readonly attemptsMade: number;
      readonly reason?: string | undefined;
    }
  | ({ readonly state: 'dead_lettered'; readonly attemptsMade: number } & DeadLetterAnswer)
  | { readonly state: 'unsubscribed'; readonly at: Time }
  | { readonly state: 'not_wanted'; readonly reason: NotWanted }
  /** Nothing tells whether it wanted the record: the version of that time is not kept. */
  | { readonly state: 'unknown' }
  /** The record is not settled, and nothing tells of the delivery yet. */
  | { readonly state: 'pending' }
  /** Over, and nothing tells how. Without a results topic, a delivery that was accepted leaves no trace. */
  | { readonly state: 'settled'; readonly isTold: boolean };

export type NotWanted = 'removed' | 'other_owner' | 'disabled' | 'other_event';

type Time = string | undefined;

interface AttemptMade {
  readonly attempt: number;
  readonly outcome: string;
  readonly status?: number | undefined;
  readonly at: Time;
}

export interface DeadLetterAnswer {
  readonly at: Time;
  readonly reason: string | undefined;
  readonly message?: string | undefined;
  /** The place in the dead-letter topic. Undefined if only a result tells of it. */
  readonly place?: string | undefined;
  readonly replayedAt?: Time;
  /** The time at which it was purged with its configuration. */
  readonly purgedAt?: Time;
}

export interface VersionAnswer {
  /** Undefined for configurations from files. */
  readonly place: string | undefined;
  readonly at: Time;
  readonly state: ConfigurationVersion['state'];
  readonly events: readonly EventType[];
}

interface DeliveryTraces {
  readonly configurationId: string;
  readonly ownerId: string;
  readonly eventType: EventType | undefined;
  /** The timestamp of the record, in epoch milliseconds. */
  readonly timestamp: number | undefined;
  readonly progress: RecordProgress;
  readonly events: readonly DeliveryEvent[];
  /** Dead letters of the whole record. */
  readonly letters: readonly DeadLetterEvent[];
  readonly versions: readonly ConfigurationVersion[];
  readonly hasResults: boolean;
  readonly markOf: (letter: DeadLetterEvent) => LetterMark | undefined;
}

/**
 * Decides what became of a record for one webhook. The latest trace that tells where the delivery is decides, because a replay
 * begins again after its dead letter. Without one, the configuration of that time says whether there was a delivery at all.
 */
function answerFor(traces: DeliveryTraces): WebhookAnswer {
  const { configurationId, events, versions, timestamp, progress } = traces;
  const version = versionAt(versions, progress.state === 'settled' ? timestamp : undefined);
  const next = version === undefined ? versions[0] : versions[versions.indexOf(version) + 1];
  const latest = latestTelling([...traces.letters, ...events]);
  const state = latest === undefined ? stateByVersion(traces, version) : stateOf(latest, traces);
  return {
    configurationId,
    ...state,
    attempts: attemptsOf(events),
    configuration: version && versionAnswer(version),
    changed: next && versionAnswer(next),
  };
}

function stateByVersion(
  { versions, progress, hasResults, ...record }: DeliveryTraces,
  version: ConfigurationVersion | undefined,
): StateForWebhook {
  if (version === undefined && versions.length > 0) return { state: 'unknown' };
  const reason = version && notWanted(version, record);
  if (reason !== undefined) return { state: 'not_wanted', reason };
  return progress.state === 'settled' ? { state: 'settled', isTold: hasResults } : { state: 'pending' };
}

function stateOf(latest: DeliveryEvent, { hasResults, markOf }: DeliveryTraces): StateForWebhook {
  switch (latest.kind) {
    case 'tier': {
      const { topic, dueAt, behind, failure } = latest;
      if (behind === undefined) return { state: 'settled', isTold: hasResults };
      const { attempt: attemptsMade, reason } = failure;
      return { state: 'waiting', tier: topic, dueAt: timeText(dueAt), behind, attemptsMade, reason };
    }
    case 'dead_letter': {
      const attemptsMade = latest.failure.attempt;
      return { state: 'dead_lettered', attemptsMade, ...letterAnswer(latest, markOf(latest)) };
    }
    case 'result': {
      const { status, attempt, reason } = latest;
      const at = timeText(latest.at);
      if (latest.type === 'delivery.unsubscribed') return { state: 'unsubscribed', at };
      if (latest.outcome === 'delivered') return { state: 'delivered', at, status, attempt };
      return { state: 'dead_lettered', at, attemptsMade: attempt, reason };
    }
  }
}

const kinds: readonly DeliveryEvent['kind'][] = ['tier', 'dead_letter', 'result'];

/** Returns the latest trace that tells where the delivery is. Of equal times, the one that comes later in the life of a delivery. */
function latestTelling(events: readonly DeliveryEvent[]): DeliveryEvent | undefined {
  const hasLetter = events.some(({ kind }) => kind === 'dead_letter');
  return events
    .filter((event) => event.kind !== 'result' || isEnd(event, hasLetter))
    .toSorted((one, other) => one.at - other.at || kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
    .at(-1);
}

/** A dead letter tells more than the result that tells of it. */
function isEnd({ type, outcome, settlement }: ResultEvent, hasLetter: boolean): boolean {
  if (type === 'delivery.unsubscribed' || outcome === 'delivered') return true;
  return !hasLetter && (type === 'delivery.dead_lettered' || settlement === 'dead');
}

function letterAnswer(letter: DeadLetterEvent, mark: LetterMark | undefined): DeadLetterAnswer {
  const { at, reason, message, partition, offset } = letter;
  const marked = mark && { [mark.isPurge ? 'purgedAt' : 'replayedAt']: timeText(mark.at) };
  return { at: timeText(at), reason, message, place: `${partition}/${offset}`, ...marked };
}

const attempts: ReadonlySet<string> = new Set(attemptOutcomes);

/** Returns the attempts, the first one first. Results tell of all. Without them, each write to a tier tells of a failed one. */
function attemptsOf(events: readonly DeliveryEvent[]): readonly AttemptMade[] {
  const results = events.filter((event) => event.kind === 'result' && event.type === 'delivery.attempted');
  const told = new Set(results.map((event) => attemptOf(event).attempt));
  const failures = events
    .filter((event) => event.kind !== 'result')
    .filter(({ failure: { attempt, reason = '' } }) => attempt > 0 && attempts.has(reason) && !told.has(attempt));
  const made = new Map<string, AttemptMade>();
  for (const event of [...results, ...failures].toSorted((one, other) => one.at - other.at)) {
    const attempt = attemptOf(event);
    // A delivery that is deferred after an attempt is written again with the same failure, and a result may be repeated.
    const key = event.kind === 'result' ? event.text : `${event.plannedAt} ${attempt.attempt}`;
    if (!made.has(key)) made.set(key, attempt);
  }
  return [...made.values()];
}

function attemptOf(event: DeliveryEvent): AttemptMade {
  const at = timeText(event.at);
  if (event.kind === 'result')
    return { attempt: event.attempt, outcome: event.outcome ?? '', status: event.status, at };
  const { attempt, reason = '', status } = event.failure;
  return { attempt, outcome: reason, status, at };
}

/** Returns the version that stood at a time, or without one the version that stands now. */
function versionAt(
  versions: readonly ConfigurationVersion[],
  epochMs = Number.POSITIVE_INFINITY,
): ConfigurationVersion | undefined {
  return versions.findLast(({ timestamp = 0 }) => timestamp <= epochMs);
}

function notWanted(
  { state, ownerId, events }: ConfigurationVersion,
  record: Pick<DeliveryTraces, 'ownerId' | 'eventType'>,
): NotWanted | undefined {
  if (state === 'removed' || state === 'disabled') return state;
  // A refused version without an owner is planned for the last one that it had.
  if (ownerId !== record.ownerId && !(ownerId === undefined && state === 'invalid')) return 'other_owner';
  return record.eventType === undefined || events.includes(record.eventType) ? undefined : 'other_event';
}

function versionAnswer({ position, timestamp, state, events }: ConfigurationVersion): VersionAnswer {
  return { place: position && positionText(position), at: timeText(timestamp), state, events };
}
