import type { Offsets } from '../client/topic-log.ts';
import { oneLine, printable } from '../../lib/printable.ts';
import { kafkaErrorType } from '../client/faults.ts';
import { describeStandstill, type TopicPositions } from './topic-positions.ts';
import type { TopicReader } from './topic-reader.ts';
import type { Missing } from './topic-table.ts';

/**
 * | Phase      | Meaning                                                                                      |
 * | ---------- | -------------------------------------------------------------------------------------------- |
 * | incomplete | The end that the topic had at the start of the read is not reached.                          |
 * | held       | It is reached, but keys of the last state are missing, which stays in use.                   |
 * | unaccepted | It is reached, but an earlier process knew another topic. What is missing is not known.      |
 * | complete   | The table holds what the topic holds, and follows it.                                        |
 */
export type ReadPhase = 'incomplete' | 'held' | 'unaccepted' | 'complete';

/** A read of the topic from its start, which then follows it. */
export interface FullRead {
  readonly id: string | undefined;
  readonly reader: TopicReader;
  /** The ends of the topic at the start of this read. The table is complete once they are reached. */
  readonly goal: Offsets;
  /** The ends that were asked for last. */
  ends: Offsets;
  /** True if the topic is the one that was read before, so that keys that are not found again were removed. */
  readonly mayRemove: boolean;
  phase: ReadPhase;
  isDuplicationReported: boolean;
}

/** Returns false if a complete read is behind an end of the topic that is known. One that is not complete is always behind. */
export function isAtEnd(read: FullRead | undefined): boolean {
  if (read?.phase !== 'complete') return true;
  return read.reader.positions.lagRecords() === 0 && read.reader.positions.hasReached(read.ends);
}

interface EndOfRead {
  /** True if `configurations accept` confirmed the topic, or nothing but a removal can explain what is missing. */
  readonly isAccepted: boolean;
  /** True in a process that starts, if an earlier one knew another topic as complete. */
  readonly isReplaced: boolean;
  /** Keys of the last state that are neither there again nor removed. */
  readonly missing: number;
}

/** Decides whether a topic that was read to its end may replace the last state. */
export function phaseAtEnd({ isAccepted, isReplaced, missing }: EndOfRead): Exclude<ReadPhase, 'incomplete'> {
  if (isAccepted) return 'complete';
  if (isReplaced) return 'unaccepted';
  return missing > 0 ? 'held' : 'complete';
}

export interface FollowingStatus {
  /** The reason why the table is not up to date, and what to do, for people. Undefined if it is. */
  readonly problem: string | undefined;
  /** Records of the topic that are not applied, or not there again. At least 1 while there is a problem. */
  readonly lagRecords: number;
}

interface FollowingFacts {
  readonly topic: string;
  readonly isMissing: boolean;
  /** Monotonic times: the present, and that of the last look at the topic. */
  readonly now: number;
  readonly discoveredAt: number;
  readonly positions: Pick<TopicPositions, 'oldest' | 'lagRecords'> | undefined;
  /** The last fault of reading. It may be over. */
  readonly fault: unknown;
  readonly phase: ReadPhase | 'unread';
  readonly missing: Missing;
}

/** Time in ms without progress in a partition after which that is a problem. Leaders move, and transactions end, in seconds. */
const longestSilenceMs = 10_000;

/** Missing keys that are named, and the characters of each. */
const mostNamed = 5;
const mostNameLength = 100;

export function followingStatus(facts: FollowingFacts): FollowingStatus {
  const { isMissing, missing, positions } = facts;
  const unreadRecords = positions?.lagRecords() ?? 0;
  const problem = problemOf(facts);
  if (problem === undefined) return { problem, lagRecords: unreadRecords };
  const missingKeys = isMissing ? missing.expected : missing.keys.size;
  return { problem, lagRecords: Math.max(1, unreadRecords + missingKeys) };
}

function problemOf(facts: FollowingFacts): string | undefined {
  const { topic, isMissing, phase, missing } = facts;
  if (isMissing)
    return `the topic ${topic}: it does not exist. Create it (topics --create) and write all webhook configurations again`;
  const obstacle = obstacleOf(facts);
  if (obstacle !== undefined) return `reads from ${topic}, ${obstacle}`;
  switch (phase) {
    case 'complete':
    case 'unread':
      return undefined;
    case 'incomplete':
      // Nothing is expected of the first read, which the start of the service waits for.
      if (missing.expected === 0) return undefined;
      return `all webhook configurations in ${topic}, which is read from its start`;
    case 'held':
      return (
        `webhook configurations in ${topic}: it was deleted, created again or truncated, and lacks ` +
        `${describeMissing(missing)}. Write them again, or confirm that the others are all: configurations accept`
      );
    case 'unaccepted':
      return (
        `webhook configurations in ${topic}: it is another topic than the one that was last complete, and may lack some. ` +
        'Write all of them, compare the list with what you expect, and confirm it: configurations accept'
      );
  }
}

function describeMissing({ keys, expected }: Missing): string {
  const named = keys
    .values()
    .take(mostNamed)
    .map((key) => printable(key.slice(0, mostNameLength)));
  const more = keys.size > mostNamed ? ` and ${keys.size - mostNamed} more` : '';
  return `${keys.size} of ${expected}: ${[...named].join(', ')}${more}`;
}

/** Returns why a partition is not read on. Undefined while all are. */
function obstacleOf({ now, discoveredAt, positions, fault }: FollowingFacts): string | undefined {
  const unanswered = positions?.oldest('answeredAt');
  const unknown = positions?.oldest('knownAt');
  const silentMs = now - Math.min(discoveredAt, unanswered?.answeredAt ?? Infinity);
  if (silentMs > longestSilenceMs) return `which fail since ${seconds(silentMs)}${reasonOf(fault)}`;
  if (unknown === undefined || now - unknown.knownAt <= longestSilenceMs) return undefined;
  return `since ${seconds(now - unknown.knownAt)} ${describeStandstill(unknown)}`;
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}

function reasonOf(fault: unknown): string {
  const type = kafkaErrorType(fault);
  if (type === 'TOPIC_AUTHORIZATION_FAILED') return ': grant Read and Describe on it';
  if (type === 'LEADER_NOT_AVAILABLE') return ': a partition has no leader, start the brokers that hold it';
  return fault instanceof Error ? `: ${oneLine(fault.message)}` : '';
}
