import { oneLine } from '../../lib/one-line.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import type { Refill } from './refill.ts';
import { describeStandstill, type TopicPositions } from './topic-positions.ts';

/**
 * | Phase      | Meaning                                                                              |
 * | ---------- | ------------------------------------------------------------------------------------ |
 * | incomplete | The end that the topic had at the start of the read is not reached.                  |
 * | held       | It is reached, but too few keys are there again. The last complete state is in use. |
 * | complete   | The table holds what the topic holds, and follows it.                                |
 */
export type ReadPhase = 'incomplete' | 'held' | 'complete';

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
  readonly refill: Refill;
}

/** Time in ms without progress in a partition after which that is a problem. Leaders move, and transactions end, in seconds. */
const longestSilenceMs = 10_000;

export function followingStatus(facts: FollowingFacts): FollowingStatus {
  const { phase, refill, positions } = facts;
  const unreadRecords = positions?.lagRecords() ?? 0;
  const problem = problemOf(facts);
  if (problem === undefined) return { problem, lagRecords: unreadRecords };
  if (facts.isMissing) return { problem, lagRecords: Math.max(1, refill.expected, refill.found) };
  const missing = phase === 'held' ? Math.max(0, refill.expected - refill.found) : 0;
  return { problem, lagRecords: Math.max(1, unreadRecords + missing) };
}

function problemOf(facts: FollowingFacts): string | undefined {
  const { topic, isMissing, phase, refill } = facts;
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
      if (refill.expected === 0) return undefined;
      return `all webhook configurations in ${topic}, which is read from its start`;
    case 'held':
      return (
        `webhook configurations in ${topic}: it was deleted, created again or truncated, and holds ${refill.found} of ` +
        `${refill.expected}. Write the others again, or confirm that these are all: configurations accept`
      );
  }
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
