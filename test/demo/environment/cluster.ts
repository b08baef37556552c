import type { Kafka } from 'kafkajs';
import { connectAdmin } from '../../support/kafka/client.ts';
import { readProgress } from '../../support/kafka/lag.ts';
import type { Progress } from '../../support/kafka/cluster/progress.ts';
import { startKafka, type RunningKafka } from '../../support/kafka/cluster/start-kafka.ts';
import { untilAborted } from '../interrupts.ts';
import type { TopicNames } from '../../support/service/topic-names.ts';

/** Starts Kafka, or the memory broker where nothing can start it. A start cannot be interrupted: after an abort this waits for it, then stops the cluster. */
export async function startCluster(progress: Progress, signal: AbortSignal): Promise<RunningKafka> {
  const starting = startKafka({ progress, orMemory: true });
  try {
    return await untilAborted(signal, starting);
  } catch (error) {
    const [started] = await Promise.allSettled([starting]);
    if (started.status === 'fulfilled') await started.value[Symbol.asyncDispose]();
    throw error;
  }
}

/** Returns the uncommitted records of each topic. */
export async function lagByTopic(kafka: Kafka, names: TopicNames): Promise<Readonly<Record<string, number>>> {
  const reads = [
    ...[names.completed, names.expired].map((topic) => ({ topic, group: names.group })),
    ...names.tiers.map((topic) => ({ topic, group: `${names.group}.retry` })),
  ];
  const found = Object.entries(await readProgress(kafka, reads));
  return Object.fromEntries(found.map(([topic, { lag }]) => [topic, lag]));
}

/** Returns a client whose consumers join that group. A group of the run is deleted at its end. */
export function withConsumerGroup(group: string, kafka: Kafka): Kafka {
  return {
    admin: (options) => kafka.admin(options),
    producer: (options) => kafka.producer(options),
    consumer: (options) => kafka.consumer({ ...options, groupId: group }),
    logger: () => kafka.logger(),
  };
}

/** Deletes the topics and groups of the run from a cluster that the demo did not start. */
export async function deleteTopicsAndGroups(kafka: Kafka, { prefix, group }: TopicNames): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(`${prefix}.`));
  if (topics.length > 0) await admin.deleteTopics({ topics });
  const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
  const ours = groups.filter((groupId) => groupId === group || groupId.startsWith(`${group}.`));
  if (ours.length > 0) await admin.deleteGroups(ours);
}
