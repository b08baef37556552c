import { describe, expect, it } from 'vitest';
import { confineFetchFaults } from '../../../../src/kafka/kafkajs/repairs/fetch-faults.ts';
import type { FetchedBatch } from '../../../../src/kafka/client/consumer.ts';
import type { Broker, ConsumerGroup } from '../../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { brokerError, networkError, noConnectedBroker, scriptedCluster, scriptedGroup } from '../scripted.ts';

/** A consumer whose fetches get the test's answer. It records calls to the cluster and searches. */
class FetchingConsumer {
  readonly clock = new ManualClock();
  readonly calls: string[] = [];
  readonly group: ConsumerGroup;
  answer: () => Promise<readonly FetchedBatch[]> = () => Promise.resolve([]);
  hasCoordinator = true;

  constructor(brokers: number) {
    const broker = (id: number): Broker =>
      Object.assign(Object.create(null), {
        connectionPool: { host: `broker-${id}`, port: 9092 },
        disconnect: async () => void this.calls.push(`disconnect broker-${id}`),
      });
    const ids = Array.from({ length: brokers }, (_, index) => index + 1);
    this.group = scriptedGroup({
      fetch: () => this.answer(),
      coordinator: Object.assign(Object.create(null), { isConnected: () => this.hasCoordinator }),
      cluster: scriptedCluster({
        brokerPool: {
          brokers: Object.fromEntries(ids.map((id) => [id, broker(id)])),
          metadata: null,
          metadataExpireAt: 0,
          findConnectedBroker: noConnectedBroker,
        },
        removeBroker: ({ host }) => void this.calls.push(`remove ${host}`),
      }),
    });
    confineFetchFaults(this.group, () => void this.calls.push('search'), this.clock);
  }

  fail(failure: Error): Promise<readonly FetchedBatch[]> {
    this.answer = () => Promise.reject(failure);
    return this.group.fetch('1');
  }
}

describe('a failed fetch', () => {
  it('returns no batches, after a pause that grows up to two seconds', async () => {
    const fetching = new FetchingConsumer(3);
    for (const pauseMs of [250, 500, 1000, 2000, 2000]) {
      const fetched = fetching.fail(networkError());
      await fetching.clock.advance(pauseMs - 1);
      expect(fetching.clock.pending).toBe(1);
      await fetching.clock.advance(1);
      expect(await fetched).toEqual([]);
    }
    fetching.answer = () => Promise.resolve([]);
    await fetching.group.fetch('1');
    const fetched = fetching.fail(networkError());
    await fetching.clock.advance(250);
    expect(await fetched).toEqual([]);
  });

  const lost = brokerError('NOT_COORDINATOR_FOR_GROUP');
  it.each([
    { title: 'removes the broker until the next metadata', calls: ['remove broker-1', 'disconnect broker-1'] },
    { title: 'does not remove the only broker', brokers: 1, calls: [] },
    { title: 'starts a search for a closed coordinator, too', brokers: 1, hasCoordinator: false, calls: ['search'] },
    { title: 'does not remove the broker when the coordinator did not answer', error: lost, calls: ['search'] },
  ])('$title', async ({ brokers = 3, hasCoordinator = true, error = networkError(), calls }) => {
    const fetching = new FetchingConsumer(brokers);
    fetching.hasCoordinator = hasCoordinator;
    const fetched = fetching.fail(error);
    await fetching.clock.advance(250);
    await fetched;
    expect(fetching.calls).toEqual(calls);
  });

  it('of a topic that may not be read returns no batches for six seconds, and is then thrown', async () => {
    const fetching = new FetchingConsumer(1);
    const denial = brokerError('TOPIC_AUTHORIZATION_FAILED');
    for (const pauseMs of [250, 500, 1000, 2000, 2000]) {
      const fetched = fetching.fail(denial);
      await fetching.clock.advance(pauseMs);
      expect(await fetched).toEqual([]);
    }
    await expect(fetching.fail(denial)).rejects.toBe(denial);
    expect(fetching.calls).toEqual([]);
  });

  it.each([brokerError('REBALANCE_IN_PROGRESS'), brokerError('GROUP_AUTHORIZATION_FAILED'), new TypeError('ours')])(
    'throws any other error: $message',
    async (error) => {
      const fetching = new FetchingConsumer(3);
      await expect(fetching.fail(error)).rejects.toBe(error);
    },
  );
});
