import type { Consumer as KafkajsConsumer, Kafka as Kafkajs } from 'kafkajs';
import type { Consumer, ConsumerEvents, ConsumerOptions } from '../client/consumer.ts';
import { kafkaErrorType } from '../client/faults.ts';
import { createPartitionAssigner } from './assignor-protocol.ts';
import { withHooks, type RepairHooks } from './hooks.ts';

/** Creates a consumer of kafkajs. Give it a hook `takeBatch`. */
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
