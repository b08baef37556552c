import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { KafkaEvents } from '../../../src/kafka/kafka-events.ts';
import { SupervisedConsumer, type SupervisedGroupConsumer } from '../../../src/kafka/consumer/supervised-consumer.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { brokerError } from '../kafkajs/scripted.ts';

const { errorCodes }: { readonly errorCodes: readonly { readonly type: string }[] } = createRequire(import.meta.url)(
  'kafkajs/src/protocol/error',
);
/** All errors that kafkajs knows by name, and one for those that it does not know. */
const brokerErrors = [...errorCodes.map(({ type }) => type), 'KAFKAJS_UNKNOWN_ERROR_CODE'];

describe('SupervisedConsumer', () => {
  it('replaces a consumer that has crashed for good', async () => {
    await using supervision = start();
    await supervision.clock.advance(0);
    supervision.crash(0, new Error('not retriable'));
    await supervision.clock.advance(1000);
    expect(supervision.consumers).toHaveLength(2);
    expect(supervision.consumers[0]?.graces).toEqual([5000]);
    expect(supervision.events).toEqual(['crashed: not retriable']);
  });

  it('gives up after five crashes', async () => {
    await using supervision = start();
    for (let crash = 0; crash < 5; crash += 1) {
      await supervision.clock.advance(20_000);
      supervision.crash(crash, new Error('refused'));
    }
    const failure = await supervision.supervised.failed;
    expect(failure.message).toContain('crashed 5 times');
  });

  it('keeps trying while Kafka cannot be reached', async () => {
    await using supervision = start();
    await supervision.clock.advance(0);
    for (let crash = 0; crash < 20; crash += 1) {
      supervision.reachable = false;
      supervision.crash(crash, new Error('no broker'));
      await supervision.clock.advance(60_000);
      supervision.reachable = true;
      await supervision.clock.advance(20_000);
    }
    expect(supervision.consumers).toHaveLength(21);
    expect(supervision.events.filter((event) => event === 'unreachable').length).toBeGreaterThan(20);
  });

  it.each(brokerErrors)('waits with growing pauses, however often it meets %s', async (type) => {
    await using supervision = start();
    await supervision.clock.advance(0);
    for (let crash = 0; crash < 20; crash += 1) {
      supervision.crash(crash, brokerError(type));
      await supervision.clock.advance(10_000);
    }
    expect(supervision.consumers).toHaveLength(21);
    // The pause is 10 s by now.
    supervision.crash(20, brokerError(type));
    await supervision.clock.advance(9000);
    expect(supervision.consumers).toHaveLength(21);
  });

  it('begins with a short pause again after a consumer that ran for a while', async () => {
    await using supervision = start();
    await supervision.clock.advance(0);
    for (let crash = 0; crash < 8; crash += 1) {
      supervision.crash(crash, brokerError('GROUP_AUTHORIZATION_FAILED'));
      await supervision.clock.advance(10_000);
    }
    await supervision.clock.advance(31_000);
    supervision.crash(8, brokerError('GROUP_AUTHORIZATION_FAILED'));
    await supervision.clock.advance(1000);
    expect(supervision.consumers).toHaveLength(10);
  });

  it('replaces a consumer with a stalled partition at two checks in a row', async () => {
    await using supervision = start();
    supervision.stalled = 'completed/0 has records';
    await supervision.clock.advance(30_000);
    expect(supervision.consumers).toHaveLength(1);
    await supervision.clock.advance(31_000);
    expect(supervision.consumers).toHaveLength(2);
    expect(supervision.events).toEqual(['crashed: completed/0 has records']);
  });

  it('replaces the consumer when the topics to read have changed', async () => {
    await using supervision = start();
    await supervision.clock.advance(0);
    supervision.topics = ['one', 'two'];
    await supervision.clock.advance(31_000);
    expect(supervision.consumers.map(({ topics }) => topics)).toEqual([['one'], ['one', 'two']]);
  });

  it('keeps the consumer while a search for topics fails, finds none, or the same ones in another order', async () => {
    await using supervision = start();
    await supervision.clock.advance(0);
    supervision.reachable = false;
    await supervision.clock.advance(31_000);
    Object.assign(supervision, { reachable: true, topics: [] });
    await supervision.clock.advance(31_000);
    expect(supervision.consumers).toHaveLength(1);
    supervision.topics = ['one', 'two'];
    await supervision.clock.advance(31_000);
    supervision.topics = ['two', 'one'];
    await supervision.clock.advance(31_000);
    expect(supervision.consumers).toHaveLength(2);
  });

  it('searches until there are topics, which counts as activity', async () => {
    await using supervision = start([]);
    await supervision.clock.advance(60_000);
    expect(supervision.consumers).toHaveLength(0);
    expect(supervision.supervised.topics).toEqual([]);
    expect(supervision.supervised.lastActivityAt).toBeGreaterThan(supervision.clock.monotonic() - 11_000);
    supervision.topics = ['one'];
    await supervision.clock.advance(11_000);
    expect(supervision.supervised.topics).toEqual(['one']);
    expect(supervision.consumers.map(({ topics }) => topics)).toEqual([['one']]);
  });

  it('stops its consumer once in a shutdown, with the grace period of that', async () => {
    const { supervised, clock, consumers } = start();
    await clock.advance(0);
    await supervised.stop(25_000);
    expect(consumers[0]?.graces).toEqual([25_000]);
  });

  it('checks the topics every two seconds, even after a check that failed', async () => {
    await using supervision = start();
    await supervision.clock.advance(6000);
    expect(supervision.consumers[0]?.rechecks).toBe(3);
  });
});

interface Consumer {
  readonly topics: readonly string[];
  readonly crashed: PromiseWithResolvers<Error>;
  /** The grace period of each stop. */
  readonly graces: number[];
  rechecks: number;
}

function start(topics: readonly string[] = ['one']) {
  const clock = new ManualClock();
  const consumers: Consumer[] = [];
  const events: string[] = [];
  const state: { reachable: boolean; topics: readonly string[]; stalled: string | undefined } = {
    reachable: true,
    topics,
    stalled: undefined,
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
    createConsumer: (wanted) => createConsumer(wanted, consumers, clock),
    stalledPartition: () => state.stalled,
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
  const consumer: Consumer = { topics, crashed: Promise.withResolvers<Error>(), graces: [], rechecks: 0 };
  consumers.push(consumer);
  return {
    crashed: consumer.crashed.promise,
    assignment: undefined,
    lastActivityAt: clock.monotonic(),
    start: async () => undefined,
    recheckTopics: async () => {
      consumer.rechecks += 1;
      throw new Error('no broker answers');
    },
    stop: async (graceMs) => {
      consumer.graces.push(graceMs);
      return true;
    },
  };
}
