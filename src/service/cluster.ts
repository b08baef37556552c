import type { Kafka } from '../kafka/client/kafka.ts';
import { retryUntilSuccess } from '../kafka/client/retry-until-success.ts';
import { setStartOffsets, StartUndecidedError } from '../kafka/topics/start-offsets.ts';
import { connectAdmin, describeTopics, waitForTopics } from '../kafka/topics/topic-admin.ts';
import { dispensableTier, requiredTopics } from '../kafka/topics/wanted-topics.ts';
import type { ServiceContext } from './service-context.ts';
import { wantedTopics } from './configured-topics.ts';

/** The service can't work with the setup of the cluster. The message says what to change. */
export class ClusterSetupError extends Error {
  override readonly name = 'ClusterSetupError';
}

/**
 * Resolves once Kafka answers and has all topics. Throws a `ClusterSetupError` if the configurations topic is not compacted,
 * because Kafka would delete configurations from it.
 */
export async function awaitCluster(context: ServiceContext): Promise<void> {
  const { settings, admin, events, clock, signal } = context;
  const wanted = wantedTopics(settings);
  const dispensable = dispensableTier(wanted.tiers);
  const topics = requiredTopics(wanted).flatMap(({ topic }) => (topic === dispensable ? [] : [topic]));
  await waitForTopics({ kafka: admin, topics, events, clock, signal });
  const { configurations } = wanted;
  if (configurations === undefined) return;
  await retried('looking at the topics', context, () => assertCompacted(admin, configurations));
}

export async function countResultPartitions(context: ServiceContext): Promise<number | undefined> {
  const { topic } = context.settings.results;
  if (topic === undefined) return undefined;
  return retried('asking for the partitions of the results topic', context, async () => {
    await using admin = await connectAdmin(context.admin);
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics.flatMap(({ partitions }) => partitions).length;
  });
}

/** Sets the offsets at which the group begins. Call it before the group has a member, or Kafka refuses it. */
export async function initializeStartOffsets(groupId: string, context: ServiceContext): Promise<void> {
  const { settings, admin, clock, signal } = context;
  const { start } = settings.certificates;
  const topics = wantedTopics(settings).certificates;
  await retried(`looking where the group ${groupId} begins`, context, () =>
    setStartOffsets({ kafka: admin, groupId, topics, start, clock, signal }),
  );
}

async function assertCompacted(kafka: Pick<Kafka, 'admin'>, topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const found = (await describeTopics(admin, [topic])).get(topic);
  if (found === undefined || found.cleanupPolicies.join() === 'compact') return;
  throw new ClusterSetupError(
    `${topic} has cleanup.policy=${found.cleanupPolicies.join()}, so webhook configurations would expire: ` +
      'set cleanup.policy=compact on it',
  );
}

function retried<T>(doing: string, { events, clock, signal }: ServiceContext, ask: () => Promise<T>): Promise<T> {
  return retryUntilSuccess(ask, {
    doing,
    events,
    clock,
    signal,
    isFinal: (error) => error instanceof ClusterSetupError || error instanceof StartUndecidedError,
  });
}
