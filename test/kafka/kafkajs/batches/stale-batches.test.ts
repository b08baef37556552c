import { describe, expect, it } from 'vitest';
import { createGroupStates } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { Batch, OffsetManager } from '../../../../src/kafka/kafkajs/internals.ts';
import { dropStaleBatches } from '../../../../src/kafka/kafkajs/batches/stale-batches.ts';
import { brokerError, scriptedGroup, scriptedRunner } from '../scripted.ts';

const record = {
  offset: '0',
  timestamp: '0',
  key: null,
  value: null,
  isControlRecord: false,
};
const aBatch = (rawMessages: Batch['rawMessages'] = [record]): Batch => ({
  topic: 't',
  partition: 0,
  fetchedOffset: '0',
  rawMessages,
  messages: rawMessages,
});
const generation = (): OffsetManager => Object.create(null);

function fetching(batches: readonly Batch[]) {
  const handled: Batch[] = [];
  const stateOf = createGroupStates();
  const state: { offsetManager: OffsetManager; heartbeat: () => Promise<void> } = {
    offsetManager: generation(),
    heartbeat: () => Promise.resolve(),
  };
  const group = scriptedGroup({ fetch: () => Promise.resolve(batches), heartbeat: () => state.heartbeat() });
  Object.defineProperty(group, 'offsetManager', { get: () => state.offsetManager });
  const runner = scriptedRunner(group, { handleBatch: async (batch) => void handled.push(batch) });
  dropStaleBatches({ consumerGroup: group, runner }, stateOf);
  return { group, runner, handled, stateOf, state };
}

describe('a batch', () => {
  it('is handled under the generation that fetched it', async () => {
    const batch = aBatch();
    const { group, runner, handled } = fetching([batch]);
    await group.fetch('1');
    await runner.handleBatch(batch);
    expect(handled).toEqual([batch]);
  });

  it('is dropped when it is empty', async () => {
    const batch = aBatch();
    const { group } = fetching([aBatch([]), batch, aBatch([])]);
    expect(await group.fetch('1')).toEqual([batch]);
  });

  it('is dropped when another generation has begun since', async () => {
    const batch = aBatch();
    const { group, runner, handled, state } = fetching([batch]);
    await group.fetch('1');
    state.offsetManager = generation();
    await runner.handleBatch(batch);
    expect(handled).toEqual([]);
  });

  it('is dropped during a join', async () => {
    const batch = aBatch();
    const { group, runner, handled, stateOf } = fetching([batch]);
    await group.fetch('1');
    stateOf(group).joining = Promise.resolve();
    await runner.handleBatch(batch);
    expect(handled).toEqual([]);
  });

  it.each(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])(
    'is not handled, and no other is fetched, after a heartbeat got %s',
    async (type) => {
      const batch = aBatch();
      const { group, runner, handled, state } = fetching([batch]);
      await group.fetch('1');
      const error = brokerError(type);
      state.heartbeat = () => Promise.reject(error);
      await expect(group.heartbeat({ interval: 0 })).rejects.toBe(error);
      await expect(runner.handleBatch(batch)).rejects.toBe(error);
      await expect(group.fetch('1')).rejects.toBe(error);
      expect(handled).toEqual([]);
    },
  );

  it('is still handled after a heartbeat without an answer', async () => {
    const batch = aBatch();
    const { group, runner, handled, state } = fetching([batch]);
    await group.fetch('1');
    state.heartbeat = () => Promise.reject(new Error('no answer'));
    await expect(group.heartbeat({ interval: 0 })).rejects.toThrow('no answer');
    await runner.handleBatch(batch);
    expect(handled).toEqual([batch]);
  });
});
