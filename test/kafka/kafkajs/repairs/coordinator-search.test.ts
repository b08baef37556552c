import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  CoordinatorLostError,
  searchLostCoordinator,
} from '../../../../src/kafka/kafkajs/repairs/coordinator-search.ts';
import { createGroupStates } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { Broker, ConsumerGroup, OffsetManager } from '../../../../src/kafka/kafkajs/internals.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { brokerError, networkError, scriptedCluster, scriptedGroup } from '../scripted.ts';

const aBroker = (): Broker => Object.assign(Object.create(null), { isConnected: () => true });

/** A member whose heartbeats and commits fail with `error`, and whose cluster answers lookups with `found`. */
class SearchingMember {
  readonly clock = new ManualClock();
  readonly stateOf = createGroupStates();
  readonly offsetManager: OffsetManager = Object.assign(Object.create(null), { coordinator: aBroker() });
  readonly group: ConsumerGroup;
  error: Error | undefined;
  found: Broker | undefined;
  lookups = 0;
  /** The count of lookups, from the first on, that are never answered. */
  unanswered = 0;
  requests = 0;

  constructor() {
    const request = async (): Promise<void> => {
      this.requests += 1;
      if (this.error !== undefined) throw this.error;
    };
    this.group = scriptedGroup({
      offsetManager: this.offsetManager,
      coordinator: aBroker(),
      heartbeat: request,
      commitOffsets: request,
      cluster: scriptedCluster({
        brokerPool: Object.assign(Object.create(null), {
          findConnectedBroker: async () => ({ findGroupCoordinator: () => this.#lookUp() }),
        }),
        findBroker: async ({ nodeId }) => {
          if (nodeId !== '2' || this.found === undefined) throw new Error('no such broker');
          return this.found;
        },
      }),
    });
    searchLostCoordinator(this.group, this.stateOf, this.clock);
  }

  heartbeat(): Promise<void> {
    return this.group.heartbeat({ interval: 0 });
  }

  async #lookUp(): Promise<{ readonly coordinator: { readonly nodeId: number } }> {
    this.lookups += 1;
    if (this.lookups <= this.unanswered) return Promise.withResolvers<never>().promise;
    if (this.found === undefined) throw new Error('no coordinator');
    return { coordinator: { nodeId: 2 } };
  }
}

describe('a lost coordinator', () => {
  it.each([networkError(), brokerError('NOT_COORDINATOR_FOR_GROUP')])(
    'is looked up again while the membership is kept: $message',
    async (error) => {
      const member = new SearchingMember();
      Object.assign(member, { error, found: aBroker() });
      await member.heartbeat();
      await setImmediate();
      expect(member.group.coordinator).toBe(member.found);
      expect(member.offsetManager.coordinator).toBe(member.found);
      expect(member.group.memberId).toBe('member');
    },
  );

  it('is looked up by one search at a time, until it is found', async () => {
    const member = new SearchingMember();
    member.error = networkError();
    await Promise.all([member.heartbeat(), member.heartbeat()]);
    await member.heartbeat();
    expect(member.lookups).toBe(1);
    await member.clock.advance(100);
    expect(member.lookups).toBe(2);
    member.found = aBroker();
    await member.clock.advance(200);
    expect(member.lookups).toBe(3);
    expect(member.clock.pending).toBe(0);
  });

  it('is looked up again while a broker does not answer', async () => {
    const member = new SearchingMember();
    Object.assign(member, { error: networkError(), found: aBroker(), unanswered: 2 });
    await member.heartbeat();
    await member.clock.advance(100);
    await member.clock.advance(200);
    expect(member.group.coordinator).toBe(member.found);
    expect(member.clock.pending).toBe(0);
  });

  it('gets no heartbeats and no commits during the search', async () => {
    const member = new SearchingMember();
    member.error = networkError();
    await expect(member.group.commitOffsets({ topics: [] })).rejects.toBe(member.error);
    await member.heartbeat();
    await expect(member.group.commitOffsets({ topics: [] })).rejects.toThrow(CoordinatorLostError);
    expect(member.requests).toBe(1);
    member.found = aBroker();
    await member.clock.advance(250);
    member.error = undefined;
    await member.group.commitOffsets({ topics: [] });
  });

  it('is given up after a minute, and heartbeats fail until one succeeds', async () => {
    const member = new SearchingMember();
    member.error = networkError();
    await member.heartbeat();
    await member.clock.advance(65_000);
    expect(member.clock.pending).toBe(0);
    await expect(member.heartbeat()).rejects.toBe(member.error);
    member.error = undefined;
    await member.heartbeat();
    member.error = networkError();
    await member.heartbeat();
    member.stateOf(member.group).stopping = true;
    await member.clock.advance(2_000);
  });

  it('is not looked up further for a consumer that stops', async () => {
    const member = new SearchingMember();
    member.error = networkError();
    await member.heartbeat();
    member.stateOf(member.group).stopping = true;
    await member.clock.advance(250);
    expect(member.lookups).toBe(1);
    expect(member.clock.pending).toBe(0);
  });

  it('is not assumed after other errors of heartbeats', async () => {
    const member = new SearchingMember();
    member.error = brokerError('REBALANCE_IN_PROGRESS');
    await expect(member.heartbeat()).rejects.toBe(member.error);
    expect(member.lookups).toBe(0);
  });
});
