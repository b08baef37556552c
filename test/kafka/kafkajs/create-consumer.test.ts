import type { Consumer, ConsumerConfig } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createAssignor } from '../../../src/kafka/consumer/assignor.ts';
import { consumerSettings } from '../../../src/kafka/consumer/consumer-settings.ts';
import { createConsumer } from '../../../src/kafka/kafkajs/create-consumer.ts';
import { silentEvents } from '../../contract/member.ts';
import { brokerError } from './scripted.ts';

/** Returns what kafkajs is given for a consumer. */
function configured(): ConsumerConfig | undefined {
  let given: ConsumerConfig | undefined;
  const consumer: Consumer = Object.assign(Object.create(null), { events: {}, on: () => undefined });
  createConsumer(
    {
      consumer: (config) => {
        given = config;
        return consumer;
      },
    },
    {
      ...consumerSettings,
      groupId: 'group',
      assignor: createAssignor('one'),
      events: silentEvents,
      hooks: { beforeRejoin: async () => undefined, offsetReset: () => undefined, takeBatch: () => undefined },
    },
  );
  return given;
}

describe('a consumer that has failed', () => {
  it.each([
    { type: 'UNKNOWN_TOPIC_OR_PARTITION', restarts: false },
    { type: 'NOT_LEADER_FOR_PARTITION', restarts: true },
  ])('after $type restarts by itself: $restarts', async ({ type, restarts }) => {
    expect(await configured()?.retry?.restartOnFailure?.(brokerError(type))).toBe(restarts);
  });
});
