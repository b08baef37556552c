import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { kafkaErrorType } from '../client/faults.ts';
import type { Admin, DescribedTopic, Kafka } from '../client/kafka.ts';
import type { TopicCreation } from './topic-creation.ts';
import { type FoundTopic, type FoundTopics, tierTopicsIn, type WantedTopics } from './wanted-topics.ts';
import { Backoff } from '../../lib/backoff.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { retryUntilSuccess } from '../client/retry-until-success.ts';

/** Connects an admin client. It disconnects at the end of its scope. */
export async function connectAdmin(kafka: Pick<Kafka, 'admin'>): Promise<Admin & AsyncDisposable> {
  const admin = kafka.admin();
  try {
    await admin.connect();
  } catch (error) {
    // A client that failed to connect still holds sockets.
    await admin.disconnect();
    throw error;
  }
  return { ...admin, [Symbol.asyncDispose]: () => admin.disconnect() };
}

/** Returns the group's commits. A group that never had any is unknown to some brokers, which is no failure. */
export async function fetchCommits(
  admin: Pick<Admin, 'fetchOffsets'>,
  groupId: string,
  topics: readonly string[],
): ReturnType<Admin['fetchOffsets']> {
  try {
    return await admin.fetchOffsets({ groupId, topics: [...topics] });
  } catch (error) {
    if (kafkaErrorType(error) === 'GROUP_ID_NOT_FOUND') return [];
    throw error;
  }
}

const settingNames = [
  'cleanup.policy',
  'retention.ms',
  'retention.bytes',
  'max.message.bytes',
  'delete.retention.ms',
  'min.insync.replicas',
  'unclean.leader.election.enable',
] as const;
/** Kafka's code of a topic among the things that have settings. */
const topicResource = 2;

/** Describes topics that exist. Needs the permissions `Describe` and `DescribeConfigs` on them. */
export async function describeTopics(
  admin: Pick<Admin, 'fetchTopicMetadata' | 'describeConfigs'>,
  topics: readonly string[],
): Promise<FoundTopics> {
  if (topics.length === 0) return new Map();
  const metadata = await admin.fetchTopicMetadata({ topics: [...topics] });
  const { resources } = await admin.describeConfigs({
    resources: topics.map((name) => ({ type: topicResource, name, configNames: [...settingNames] })),
    includeSynonyms: false,
  });
  return new Map(
    metadata.topics.map(({ name, partitions }) => {
      const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? [];
      return [name, foundTopic(partitions, new Map(entries.map((entry) => [entry.configName, entry.configValue])))];
    }),
  );
}

/** Throws if the cleanup policy is missing. The other settings only lead to warnings, and some brokers lack them. */
function foundTopic(partitions: DescribedTopic['partitions'], settings: ReadonlyMap<string, string>): FoundTopic {
  const policies = settings.get('cleanup.policy');
  if (policies === undefined) throw new Error("the brokers don't report cleanup.policy");
  const number = (name: (typeof settingNames)[number]): number | undefined => {
    const value = settings.get(name);
    return value === undefined ? undefined : Number(value);
  };
  const uncleanElection = settings.get('unclean.leader.election.enable');
  return {
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    cleanupPolicies: policies.split(','),
    retentionMs: number('retention.ms'),
    retentionBytes: number('retention.bytes'),
    maxMessageBytes: number('max.message.bytes'),
    tombstonesKeptMs: number('delete.retention.ms'),
    minInsyncReplicas: number('min.insync.replicas'),
    mayElectUncleanly: uncleanElection === undefined ? undefined : uncleanElection === 'true',
  };
}

export async function fetchTombstonesKeptMs(kafka: Pick<Kafka, 'admin'>, topic: string): Promise<number | undefined> {
  await using admin = await connectAdmin(kafka);
  return (await describeTopics(admin, [topic])).get(topic)?.tombstonesKeptMs;
}

/** The topics were created, but some broker did not know their leaders in time. */
class TopicsNotReadyError extends Error {
  override readonly name = 'TopicsNotReadyError';
}

/** Longest wait in ms until every broker knows the new topics. */
const readyTimeoutMs = 30_000;
const readyPollMs = 100;

/** Creates the topics and waits until the brokers know their leaders. A topic that exists by now stays as it is. */
export async function createTopics(
  admin: Admin,
  creations: readonly TopicCreation[],
  clock: MonotonicClock,
): Promise<void> {
  if (creations.length === 0) return;
  await admin.createTopics({
    // kafkajs would wait with a request that brokers answer wrongly while they create many partitions.
    waitForLeaders: false,
    topics: creations.map(({ topic, partitions, replicationFactor, settings }) => ({
      topic,
      numPartitions: partitions,
      replicationFactor,
      configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
    })),
  });
  const { brokers } = await admin.describeCluster();
  await waitUntilKnown(
    admin,
    creations.map(({ topic }) => topic),
    { clock, answers: 2 * brokers.length - 1 },
  );
}

/** Waits for several good answers in a row, because each request goes to a random broker. */
async function waitUntilKnown(
  admin: Admin,
  topics: string[],
  { clock, answers }: { readonly clock: MonotonicClock; readonly answers: number },
): Promise<void> {
  const deadline = clock.monotonic() + readyTimeoutMs;
  for (let inRow = 0; inRow < answers; inRow = (await haveLeaders(admin, topics)) ? inRow + 1 : 0) {
    if (clock.monotonic() > deadline) throw new TopicsNotReadyError(`no leaders yet for ${topics.join(', ')}`);
    await sleep(clock, readyPollMs);
  }
}

async function haveLeaders(admin: Admin, topics: string[]): Promise<boolean> {
  try {
    const metadata = await admin.fetchTopicMetadata({ topics });
    return metadata.topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0));
  } catch (error) {
    const type = kafkaErrorType(error);
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'LEADER_NOT_AVAILABLE') return false;
    throw error;
  }
}

interface TopicWaitOptions {
  readonly kafka: Kafka;
  readonly topics: readonly string[];
  readonly events: Pick<KafkaEvents, 'topicsMissing' | 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
  readonly signal: AbortSignal;
}

/** Resolves once all of the topics exist, however long Kafka is unreachable. Throws when the signal is aborted. */
export async function waitForTopics({ kafka, topics, events, clock, signal }: TopicWaitOptions): Promise<void> {
  const backoff = new Backoff({ firstMs: 250, longestMs: 10_000 });
  const doing = 'asking for the topics';
  while (true) {
    const found = await retryUntilSuccess(() => findTopics(kafka, topics), { doing, events, clock, signal });
    const missing = topics.filter((topic) => !found.includes(topic));
    events.topicsMissing(missing);
    if (missing.length === 0) return;
    await sleep(clock, backoff.next(), signal);
  }
}

/** Returns those of the topics that exist and that this client may see. Without names, returns all of the cluster. */
export async function findTopics(kafka: Kafka, names?: readonly string[]): Promise<readonly string[]> {
  await using cluster = await kafka.connectCluster();
  return await cluster.listTopics(names);
}

/** Interval in ms of the search for retired tiers among all topics of the cluster. These may be many. */
const listEveryMs = 600_000;

/** Returns a function that finds the existing tiers, the retired ones too, so that no retry is lost. */
export function createTierSearch(
  kafka: Kafka,
  wanted: Pick<WantedTopics, 'tiers' | 'tierPrefix'>,
  clock: MonotonicClock,
) {
  let known = wanted.tiers;
  let listAt = clock.monotonic();
  return async (): Promise<readonly string[]> => {
    if (clock.monotonic() >= listAt) {
      const listed = tierTopicsIn(await findTopics(kafka), wanted.tierPrefix).map(({ topic }) => topic);
      known = [...new Set([...wanted.tiers, ...listed])];
      listAt = clock.monotonic() + listEveryMs;
    }
    return findTopics(kafka, known);
  };
}
