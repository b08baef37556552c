import type { Admin, SeekEntry } from 'kafkajs';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import { decideStart, type TopicOffsets } from './start-decision.ts';
import type { StartPosition } from '../../settings/kinds/kafka-kinds.ts';
import { connectAdmin, fetchCommits, type AdminFactory } from './topic-admin.ts';

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
  readonly kafka: AdminFactory;
  readonly groupId: string;
  /** Topics that all exist. */
  readonly topics: readonly string[];
  readonly start: StartPosition | undefined;
  readonly clock: MonotonicClock;
  readonly signal: AbortSignal;
}

/** Pause in ms between two attempts to set a topic's offsets. */
const pollMs = 1000;
/** Bounds in ms both one attempt and all attempts for a topic. kafkajs alone could wait in the group without end. */
const timeoutMs = 60_000;

/** Sets where the group begins, before its first member starts. Several processes may do this at the same time. */
export async function setStartOffsets(options: StartOffsetsOptions): Promise<void> {
  const { kafka, groupId, topics, start } = options;
  await using admin = await connectAdmin(kafka);
  const offsetsByTopic = await Promise.all(topics.map((topic) => readTopicOffsets(admin, groupId, topic)));
  const decided = offsetsByTopic.map((offsets) => ({ topic: offsets.topic, decision: decideStart(offsets, start) }));
  const undecided = decided.filter(({ decision }) => decision.kind === 'undecided').map(({ topic }) => topic);
  if (undecided.length > 0) throw new StartUndecidedError(undecided, groupId);
  for (const { topic, decision } of decided) {
    if (decision.kind !== 'set') continue;
    const offsets =
      decision.at.kind === 'latest'
        ? await admin.fetchTopicOffsets(topic)
        : await admin.fetchTopicOffsetsByTimestamp(topic, decision.at.at);
    await setUntilCommitted(admin, topic, offsets, options);
  }
}

export async function readTopicOffsets(
  admin: Pick<Admin, 'fetchOffsets' | 'fetchTopicOffsets'>,
  groupId: string,
  topic: string,
): Promise<TopicOffsets> {
  const committed = await committedOffsets(admin, groupId, topic);
  const ends = await admin.fetchTopicOffsets(topic);
  const partitions = ends.map(({ partition, low, high }) => ({
    partition,
    low: Number(low),
    high: Number(high),
    committed: committed.get(partition),
  }));
  return { topic, partitions };
}

async function committedOffsets(
  admin: Pick<Admin, 'fetchOffsets'>,
  groupId: string,
  topic: string,
): Promise<ReadonlyMap<number, number>> {
  const [answer] = await fetchCommits(admin, groupId, [topic]);
  const offsets = (answer?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)] as const);
  return new Map(offsets.filter(([, offset]) => offset >= 0));
}

/** Retries until every partition has a commit, or until another process has committed in the topic. */
async function setUntilCommitted(
  admin: Admin,
  topic: string,
  offsets: readonly SeekEntry[],
  { groupId, clock, signal }: StartOffsetsOptions,
): Promise<void> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const refusal = await setOffsets(admin, { groupId, topic, partitions: [...offsets] }, clock);
    const committed = await committedOffsets(admin, groupId, topic);
    if (offsets.every(({ partition }) => committed.has(partition))) return;
    if (refusal !== undefined && committed.size > 0) return;
    signal.throwIfAborted();
    if (clock.monotonic() >= deadline) throw refusedError(topic, groupId, refusal);
    await sleep(clock, pollMs, signal);
  }
}

function refusedError(topic: string, groupId: string, cause: unknown): StartRefusedError {
  const message = `CERTIFICATE_START can't be applied to ${topic} while another member of the group ${groupId} runs`;
  return new StartRefusedError(message, { cause });
}

/**
 * Sets the offsets and returns undefined, or returns the error. kafkajs joins the group for this, and may wait there
 * without end.
 */
async function setOffsets(
  admin: Admin,
  request: { readonly groupId: string; readonly topic: string; partitions: SeekEntry[] },
  clock: MonotonicClock,
): Promise<unknown> {
  try {
    const isInTime = await within(clock, timeoutMs, admin.setOffsets(request));
    return isInTime ? undefined : new Error('setting the offsets takes too long');
  } catch (error) {
    return error;
  }
}
