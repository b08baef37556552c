import {
  type Consumer as KafkajsConsumer,
  type Kafka as Kafkajs,
  AssignerProtocol,
  type Cluster,
  type GroupMember,
  type PartitionAssigner,
} from 'kafkajs';
import type {
  Consumer,
  ConsumerEvents,
  ConsumerOptions,
  Assignor,
  Partitions,
  Subscriber,
} from '../client/consumer.ts';
import { kafkaErrorType } from '../client/faults.ts';
import { withHooks, type RepairHooks } from './group-state.ts';

export function createConsumer(
  kafka: Pick<Kafkajs, 'consumer'>,
  { assignor, events, hooks, ...settings }: ConsumerOptions,
): Consumer {
  const repairHooks: RepairHooks = { ...hooks };
  const consumer = kafka.consumer({
    ...settings,
    allowAutoTopicCreation: false,
    retry: {
      retries: 10,
      initialRetryTime: 100,
      maxRetryTime: 2000,
      // A deleted topic stops the whole consumer. Only a new consumer that does not read the topic helps.
      restartOnFailure: async (error) => kafkaErrorType(error) !== 'UNKNOWN_TOPIC_OR_PARTITION',
    },
    partitionAssigners: [withHooks(repairHooks, createPartitionAssigner(assignor))],
  });
  relayEvents(consumer, events);
  return {
    ...consumer,
    commit: async (offsets) => repairHooks.commit?.(offsets),
    topicStates: async (topics) => repairHooks.topicStates?.(topics),
  };
}

export function relayEvents(consumer: Pick<KafkajsConsumer, 'on' | 'events'>, events: ConsumerEvents): void {
  const { FETCH_START, HEARTBEAT, CONNECT, GROUP_JOIN, CRASH, REQUEST } = consumer.events;
  for (const event of [FETCH_START, HEARTBEAT, CONNECT, GROUP_JOIN, CRASH]) consumer.on(event, () => events.active());
  consumer.on(REQUEST, ({ payload: { apiName, duration } }) => {
    if (apiName === 'Heartbeat') events.heartbeatAnswered(duration);
  });
  consumer.on(HEARTBEAT, () => events.heartbeatAccepted());
  consumer.on(GROUP_JOIN, ({ payload }) => events.joined(payload));
  consumer.on(CRASH, ({ payload }) => events.crashed(payload));
}

const { MemberMetadata, MemberAssignment } = AssignerProtocol;

/** Makes kafkajs use the assignor, in the form of Kafka's consumer protocol. */
export function createPartitionAssigner({ protocol: name, instance, assign }: Assignor): PartitionAssigner {
  return ({ cluster }: { cluster: Cluster }) => ({
    name,
    version: 0,
    protocol: ({ topics }) => ({
      name,
      metadata: MemberMetadata.encode({ version: 0, topics, userData: Buffer.from(instance) }),
    }),
    assign: async ({ members, topics }) => {
      const subscribers = members.map(toSubscriber);
      const known = new Set(topics);
      for (const { topics: wanted } of subscribers) {
        for (const topic of wanted) if (!known.has(topic)) await cluster.addTargetTopic(topic);
      }
      const assignments = assign(subscribers, (topic) =>
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
      );
      return [...assignments].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: 0,
          assignment: toMutable(assignment),
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function toSubscriber({ memberId, memberMetadata }: GroupMember): Subscriber {
  const metadata = MemberMetadata.decode(memberMetadata);
  return { memberId, instance: metadata?.userData?.toString() ?? '', topics: metadata?.topics ?? [] };
}

function toMutable(assignment: Partitions): Record<string, number[]> {
  return Object.fromEntries(Object.entries(assignment).map(([topic, partitions]) => [topic, [...partitions]]));
}
