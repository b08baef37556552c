import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGroupStates } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { ConsumerGroup } from '../../../../src/kafka/kafkajs/internals.ts';
import { wakeOnResume } from '../../../../src/kafka/kafkajs/faster/fetch-times.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { noConnectedBroker, scriptedCluster, scriptedGroup } from '../scripted.ts';

const metadataOf = (partitionId: number) => ({
  partitionId,
  leader: partitionId + 1,
  partitionErrorCode: 0,
  replicas: [],
  isr: [],
});

/** A member with partition 0 on broker 1 and partition 1 on broker 2. */
class IdleMember {
  readonly clock = new ManualClock();
  readonly group: ConsumerGroup;
  paused: readonly number[] = [];
  seeks = 0;
  metadataExpireAt: number | null = this.clock.monotonic() + 60_000;
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
        findTopicPartitionMetadata: () => partitions.map(metadataOf),
      }),
      fetch: async () => {
        this.fetches += 1;
        return [];
      },
      resume: () => {
        this.paused = [];
      },
    });
    const states = createGroupStates();
    states(this.group).configured = { waitMs: 250, bytes: 1 };
    wakeOnResume(this.group, states, this.clock);
  }
}

describe('a fetcher whose broker leads no partition', () => {
  it('looks again after the configured time, however long fetches wait at present', async () => {
    const member = new IdleMember();
    member.group.maxWaitTime = 2000;
    const fetched = member.group.fetch('3');
    await member.clock.advance(250);
    expect(await fetched).toEqual([]);
    expect(member.fetches).toBe(0);
  });
});

describe('a fetcher whose partitions are all paused', () => {
  it('sleeps as long as a fetch would wait', async () => {
    const member = new IdleMember();
    member.paused = [0];
    const fetched = member.group.fetch('1');
    await member.clock.advance(250);
    expect(await fetched).toEqual([]);
    expect(member.fetches).toBe(0);
  });

  it('fetches at once when a partition is resumed', async () => {
    const member = new IdleMember();
    member.paused = [0, 1];
    const fetched = member.group.fetch('1');
    await setImmediate();
    expect(member.fetches).toBe(0);
    member.group.resume([{ topic: 'a', partitions: [0] }]);
    await fetched;
    expect(member.fetches).toBe(1);
    expect(member.clock.pending).toBe(0);
  });

  it.each([
    { work: 'an active partition of its broker', change: { paused: [1] } },
    { work: 'no paused partition', change: { paused: [] } },
    { work: 'a seek to carry out', change: { seeks: 1 } },
    { work: 'expired metadata', change: { metadataExpireAt: -1 } },
    { work: 'discarded metadata', change: { metadataExpireAt: null } },
  ])('does not sleep with $work', async ({ change }) => {
    const member = new IdleMember();
    member.paused = [0];
    Object.assign(member, change);
    await member.group.fetch('1');
    expect(member.fetches).toBe(1);
  });
});
