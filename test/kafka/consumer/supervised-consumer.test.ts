import { describe, expect, it } from 'vitest';
import type { KafkaEvents } from '../../../src/kafka/kafka-events.ts';
import { SupervisedConsumer, type SupervisedGroupConsumer } from '../../../src/kafka/consumer/supervised-consumer.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

describe('SupervisedConsumer', () => {
  it('reads with a new consumer when the old one has crashed for good', async () => {
    await using parts = start();
    await parts.clock.advance(0);
    parts.crash(0, new Error('not retriable'));
    await parts.clock.advance(1000);
    expect(parts.consumers).toHaveLength(2);
    expect(parts.consumers[0]?.stopped).toBe(true);
    expect(parts.events).toEqual(['crashed: not retriable']);
  });

  it('gives up when consumers crash again and again', async () => {
    await using parts = start();
    for (let crash = 0; crash < 5; crash += 1) {
      await parts.clock.advance(20_000);
      parts.crash(crash, new Error('no way'));
    }
    const failure = await parts.supervised.failed;
    expect(failure.message).toContain('crashed 5 times');
  });

  it('keeps trying for as long as Kafka can not be reached', async () => {
    await using parts = start();
    await parts.clock.advance(0);
    for (let crash = 0; crash < 20; crash += 1) {
      parts.reachable = false;
      parts.crash(crash, new Error('no broker'));
      await parts.clock.advance(60_000);
      parts.reachable = true;
      await parts.clock.advance(20_000);
    }
    expect(parts.consumers).toHaveLength(21);
    expect(parts.events.filter((event) => event === 'unreachable').length).toBeGreaterThan(20);
  });

  it('does not hold a deleted topic against a consumer', async () => {
    await using parts = start();
    await parts.clock.advance(0);
    for (let crash = 0; crash < 20; crash += 1) {
      parts.crash(crash, Object.assign(new Error('gone'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' }));
      await parts.clock.advance(20_000);
    }
    expect(parts.consumers).toHaveLength(21);
  });

  it('replaces a consumer that stands still at two looks in a row', async () => {
    await using parts = start();
    parts.standstill = 'completed/0 has records';
    await parts.clock.advance(30_000);
    expect(parts.consumers).toHaveLength(1);
    await parts.clock.advance(31_000);
    expect(parts.consumers).toHaveLength(2);
    expect(parts.events).toEqual(['crashed: completed/0 has records']);
  });

  it('reads topics that appear, and no longer those that are gone', async () => {
    await using parts = start();
    await parts.clock.advance(0);
    parts.topics = ['one', 'two'];
    await parts.clock.advance(31_000);
    expect(parts.consumers.map(({ topics }) => topics)).toEqual([['one'], ['one', 'two']]);
  });

  it('asks every second whether the topics are the same, also when nobody answered the last time', async () => {
    await using parts = start();
    await parts.clock.advance(3000);
    expect(parts.consumers[0]?.rechecks).toBe(3);
  });
});

interface Consumer {
  readonly topics: readonly string[];
  readonly crashed: PromiseWithResolvers<Error>;
  stopped: boolean;
  rechecks: number;
}

function start() {
  const clock = new ManualClock();
  const consumers: Consumer[] = [];
  const events: string[] = [];
  const state: { reachable: boolean; topics: readonly string[]; standstill: string | undefined } = {
    reachable: true,
    topics: ['one'],
    standstill: undefined,
  };
  const kafkaEvents: Pick<KafkaEvents, 'consumerCrashed' | 'kafkaUnreachable'> = {
    consumerCrashed: ({ error }) => void events.push(`crashed: ${error instanceof Error ? error.message : ''}`),
    kafkaUnreachable: () => void events.push('unreachable'),
  };
  const supervised = new SupervisedConsumer({
    groupId: 'group',
    findTopics: async () => {
      if (!state.reachable) throw new Error('no broker answers');
      return state.topics;
    },
    createConsumer: (topics) => createConsumer(topics, consumers, clock),
    stalledPartition: () => state.standstill,
    events: kafkaEvents,
    clock,
  });
  supervised.start();
  return Object.assign(state, {
    supervised,
    clock,
    consumers,
    events,
    crash: (index: number, error: Error) => consumers[index]?.crashed.resolve(error),
    [Symbol.asyncDispose]: async () => {
      await supervised.stop(0);
      expect(clock.pending).toBe(0);
    },
  });
}

function createConsumer(topics: readonly string[], consumers: Consumer[], clock: ManualClock): SupervisedGroupConsumer {
  const consumer: Consumer = { topics, crashed: Promise.withResolvers<Error>(), stopped: false, rechecks: 0 };
  consumers.push(consumer);
  return {
    crashed: consumer.crashed.promise,
    assignment: undefined,
    lastActivityAt: clock.now(),
    start: async () => undefined,
    recheckTopics: async () => {
      consumer.rechecks += 1;
      throw new Error('no broker answers');
    },
    stop: async () => {
      consumer.stopped = true;
      return true;
    },
  };
}
