import type { Admin, Kafka } from '../client/kafka.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { StartPosition } from '../../settings/kinds/kafka-kinds.ts';
import { isExpulsion } from '../client/faults.ts';
import { connectAdmin, fetchCommits } from './topic-admin.ts';

/** `CERTIFICATE_START` is missing although it is needed: a configuration error. */
export class StartUndecidedError extends Error {
  override readonly name = 'StartUndecidedError';

  constructor(topics: readonly string[], groupId: string) {
    super(
      `no commit of the group ${groupId} in ${topics.join(', ')}, where records are already: ` +
        'set CERTIFICATE_START to earliest (deliver them all), latest (deliver none of them) or an ISO 8601 time',
    );
  }
}

/** The group's offsets can't be set because another member of the group runs, which has not set them either. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}

interface StartOffsetsOptions {
  readonly kafka: Kafka;
  readonly groupId: string;
  /** Topics that all exist. */
  readonly topics: readonly string[];
  readonly start: StartPosition | undefined;
  readonly clock: MonotonicClock;
  readonly signal: AbortSignal;
}

/** Pause in ms between two attempts to set the offsets. */
const pollMs = 1000;
/** Bounds in ms all attempts. */
const timeoutMs = 60_000;

/** Sets where the group begins, before its first member starts. Several processes may do this at the same time. */
export async function setStartOffsets(options: StartOffsetsOptions): Promise<void> {
  const { kafka, groupId, topics, start, clock, signal } = options;
  await using admin = await connectAdmin(kafka);
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const offsetsByTopic = await Promise.all(topics.map((topic) => readTopicOffsets(admin, groupId, topic)));
    const decided = offsetsByTopic.map(({ topic, partitions }) => ({
      topic,
      decision: decideStart(partitions, start),
    }));
    const undecided = decided.filter(({ decision }) => decision.kind === 'undecided').map(({ topic }) => topic);
    if (undecided.length > 0) throw new StartUndecidedError(undecided, groupId);
    const starts = decided.flatMap(({ topic, decision }) =>
      decision.kind === 'set' ? [startsOf(admin, topic, decision.at)] : [],
    );
    if (starts.length === 0) return;
    try {
      await using cluster = await kafka.connectCluster();
      return await cluster.commit(groupId, { topics: await Promise.all(starts) });
    } catch (error) {
      // A member runs. It has set them in the meantime, or does not read the topics.
      if (!isExpulsion(error)) throw error;
      const refused = `CERTIFICATE_START can't be applied while another member of the group ${groupId} runs`;
      if (clock.monotonic() >= deadline) throw new StartRefusedError(refused, { cause: error });
    }
    signal.throwIfAborted();
    await sleep(clock, pollMs, signal);
  }
}

async function startsOf(admin: Admin, topic: string, at: Exclude<StartPosition, { readonly kind: 'earliest' }>) {
  const offsets =
    at.kind === 'latest'
      ? await admin.fetchTopicOffsets(topic)
      : await admin.fetchTopicOffsetsByTimestamp(topic, at.at);
  return { topic, partitions: offsets.map(({ partition, offset }) => ({ partition, offset })) };
}

/**
 * Returns for each partition of a topic the offset of its oldest record, the offset that the next one will get, and that which
 * the group has committed, if any.
 */
export async function readTopicOffsets(
  admin: Pick<Admin, 'fetchOffsets' | 'fetchTopicOffsets'>,
  groupId: string,
  topic: string,
) {
  const [answer] = await fetchCommits(admin, groupId, [topic]);
  const offsets = (answer?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)] as const);
  const committed = new Map(offsets.filter(([, offset]) => offset >= 0));
  const ends = await admin.fetchTopicOffsets(topic);
  const partitions = ends.map(({ partition, low, high }) => ({
    partition,
    low: Number(low),
    high: Number(high),
    committed: committed.get(partition),
  }));
  return { topic, partitions };
}

export type PartitionOffsets = Awaited<ReturnType<typeof readTopicOffsets>>['partitions'][number];

type StartDecision =
  /** Partitions continue at their commit, or begin at their earliest record. A consumer does so by default. */
  | { readonly kind: 'default' }
  | { readonly kind: 'set'; readonly at: Exclude<StartPosition, { readonly kind: 'earliest' }> }
  /** An operator has to decide whether the existing records are delivered. */
  | { readonly kind: 'undecided' };

/** Decides where the group begins in a topic. A topic with a commit or without records needs no decision. */
export function decideStart(partitions: readonly PartitionOffsets[], start: StartPosition | undefined): StartDecision {
  const isCommitted = partitions.some(({ committed }) => committed !== undefined);
  const isEmpty = partitions.every(({ low, high }) => low >= high);
  if (isCommitted || isEmpty) return { kind: 'default' };
  if (start === undefined) return { kind: 'undecided' };
  return start.kind === 'earliest' ? { kind: 'default' } : { kind: 'set', at: start };
}
