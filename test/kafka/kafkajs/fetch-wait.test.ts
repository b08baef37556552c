import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGroupStates } from '../../../src/kafka/kafkajs/group-state.ts';
import type { ConsumerGroup } from '../../../src/kafka/kafkajs/internals.ts';
import { wakeOnResume } from '../../../src/kafka/kafkajs/fetch-wait.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { noConnectedBroker, scriptedCluster, scriptedGroup } from './scripted.ts';

/** A member with partition 0 on broker 1 and partition 1 on broker 2. */
class Napping {
  readonly clock = new ManualClock();
  readonly group: ConsumerGroup;
  paused: readonly number[] = [];
  seeks = 0;
  metadataExpireAt: number | null = this.clock.now() + 60_000;
  fetches = 0;

  constructor() {
    const partitions = [0, 1];
    const expiry = (): number | null => this.metadataExpireAt;
    const seeks = (): number => this.seeks;
    this.group = scriptedGroup({
      seekOffset: {
        get size() {
          return seeks();
        },
      },
      subscriptionState: {
        paused: () => (this.paused.length > 0 ? [{ topic: 'a', partitions: [...this.paused] }] : []),
        active: () => [{ topic: 'a', partitions: partitions.filter((partition) => !this.paused.includes(partition)) }],
      },
      cluster: scriptedCluster({
        brokerPool: {
          brokers: {},
          get metadataExpireAt() {
            return expiry();
          },
          findConnectedBroker: noConnectedBroker,
        },
        findLeaderForPartitions: (_topic, ids) => Object.fromEntries(ids.map((id) => [String(id + 1), [id]])),
      }),
      fetch: async () => {
        this.fetches += 1;
        return [];
      },
      resume: () => {
        this.paused = [];
      },
    });
    wakeOnResume(this.group, createGroupStates(), this.clock);
  }
}

describe('a fetcher whose partitions are all paused', () => {
  it('sleeps for as long as a fetch would wait', async () => {
    const napping = new Napping();
    napping.paused = [0];
    const fetched = napping.group.fetch('1');
    await napping.clock.advance(250);
    expect(await fetched).toEqual([]);
    expect(napping.fetches).toBe(0);
  });

  it('fetches at once when one is resumed', async () => {
    const napping = new Napping();
    napping.paused = [0, 1];
    const fetched = napping.group.fetch('1');
    await setImmediate();
    expect(napping.fetches).toBe(0);
    napping.group.resume([{ topic: 'a', partitions: [0] }]);
    await fetched;
    expect(napping.fetches).toBe(1);
    expect(napping.clock.pending).toBe(0);
  });

  it.each([
    { work: 'partitions of its broker that are not', change: { paused: [1] } },
    { work: 'no pause at all', change: { paused: [] } },
    { work: 'a seek to carry out', change: { seeks: 1 } },
    { work: 'metadata that have expired', change: { metadataExpireAt: 0 } },
    { work: 'metadata that were thrown away', change: { metadataExpireAt: null } },
  ])('does not sleep with $work', async ({ change }) => {
    const napping = new Napping();
    napping.paused = [0];
    Object.assign(napping, change);
    await napping.group.fetch('1');
    expect(napping.fetches).toBe(1);
  });
});
