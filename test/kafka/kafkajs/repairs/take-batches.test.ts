import { describe, expect, it } from 'vitest';
import type { FetchedBatch } from '../../../../src/kafka/client/consumer.ts';
import { createGroupStates } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { Batch, OffsetManager } from '../../../../src/kafka/kafkajs/internals.ts';
import { takeBatches } from '../../../../src/kafka/kafkajs/repairs/take-batches.ts';
import { brokerError, scriptedBatch, scriptedCluster, scriptedGroup } from '../scripted.ts';

const generation = (): OffsetManager => Object.create(null);

/** A consumer whose fetches return these batches, after `whileFetching`. */
function fetching(
  batches: readonly Batch[],
  { takeBatch = (batch: FetchedBatch): string | undefined => batch.lastOffset() } = {},
) {
  const taken: FetchedBatch[] = [];
  const resolved: unknown[] = [];
  const stateOf = createGroupStates();
  const state = {
    offsetManager: generation(),
    heartbeat: (): Promise<void> => Promise.resolve(),
    whileFetching: async (): Promise<void> => undefined,
  };
  const hooks = {
    beforeRejoin: () => Promise.resolve(),
    offsetReset: () => undefined,
    takeBatch: (batch: FetchedBatch) => {
      taken.push(batch);
      return takeBatch(batch);
    },
  };
  const group = scriptedGroup({
    cluster: scriptedCluster({}, hooks),
    resolveOffset: (offset) => void resolved.push(offset),
    fetch: async () => {
      await state.whileFetching();
      return batches;
    },
    heartbeat: () => state.heartbeat(),
  });
  Object.defineProperty(group, 'offsetManager', { get: () => state.offsetManager });
  takeBatches(group, stateOf);
  return { group, taken, resolved, stateOf, state };
}

describe('a batch', () => {
  it('goes to the consumer, and kafkajs gets none', async () => {
    const batch = scriptedBatch();
    const { group, taken, resolved } = fetching([batch]);
    expect(await group.fetch('1')).toEqual([]);
    expect(taken).toEqual([batch]);
    expect(resolved).toEqual([{ topic: 't', partition: 0, offset: '0' }]);
  });

  it('is fetched again when the consumer does not take it', async () => {
    const { group, resolved } = fetching([scriptedBatch()], { takeBatch: () => undefined });
    await group.fetch('1');
    expect(resolved).toEqual([]);
  });

  it('is dropped when it is empty', async () => {
    const batch = scriptedBatch();
    const { group, taken } = fetching([scriptedBatch([]), batch, scriptedBatch([])]);
    await group.fetch('1');
    expect(taken).toEqual([batch]);
  });

  it('is dropped when another generation has begun since it was asked for', async () => {
    const { group, taken, state } = fetching([scriptedBatch()]);
    state.whileFetching = async () => {
      state.offsetManager = generation();
    };
    expect(await group.fetch('1')).toEqual([]);
    expect(taken).toEqual([]);
  });

  it('is dropped during a join, and while the consumer stops', async () => {
    for (const ending of [{ joining: Promise.resolve() }, { stopping: true }]) {
      const { group, taken, stateOf, state } = fetching([scriptedBatch()]);
      state.whileFetching = async () => void Object.assign(stateOf(group), ending);
      expect(await group.fetch('1')).toEqual([]);
      expect(taken).toEqual([]);
    }
  });

  it.each(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])(
    'is not taken, and no other is fetched, after a heartbeat got %s',
    async (type) => {
      const error = brokerError(type);
      const { group, taken, state } = fetching([scriptedBatch()]);
      state.heartbeat = () => Promise.reject(error);
      state.whileFetching = async () => expect(group.heartbeat({ interval: 0 })).rejects.toBe(error);
      await expect(group.fetch('1')).rejects.toBe(error);
      state.whileFetching = () => Promise.reject(new Error('it is fetched'));
      await expect(group.fetch('1')).rejects.toBe(error);
      expect(taken).toEqual([]);
    },
  );

  it('is still taken after a heartbeat without an answer', async () => {
    const batch = scriptedBatch();
    const { group, taken, state } = fetching([batch]);
    state.heartbeat = () => Promise.reject(new Error('no answer'));
    state.whileFetching = async () => expect(group.heartbeat({ interval: 0 })).rejects.toThrow('no answer');
    await group.fetch('1');
    expect(taken).toEqual([batch]);
  });

  it('is handled by kafkajs for a consumer without the hook', async () => {
    const batches = [scriptedBatch()];
    const group = scriptedGroup({ cluster: scriptedCluster({}), fetch: () => Promise.resolve(batches) });
    takeBatches(group, createGroupStates());
    expect(await group.fetch('1')).toBe(batches);
  });
});
