import { describe, expect, it } from 'vitest';
import type { GroupState } from '../../../../src/kafka/kafkajs/group-state.ts';
import { brokerError } from '../scripted.ts';
import { anOffsetManager, aRecord, dataOf, FetchingMember, heartbeatMs } from './fetching-member.ts';

/** A member whose partition 0 has a record, which it gets after `whileFetching`. */
function fetching(whileFetching: (member: FetchingMember) => unknown = () => undefined): FetchingMember {
  const member = new FetchingMember();
  member.answer = async () => {
    await whileFetching(member);
    return [dataOf()];
  };
  return member;
}

type Change = readonly [what: string, change: (member: FetchingMember) => unknown];

const offsetsOf = ({ taken }: FetchingMember): readonly (readonly string[])[] =>
  taken.map(({ messages }) => messages.map(({ offset }) => offset));

describe('the records of a partition', () => {
  it('go to the consumer, and kafkajs gets none', async () => {
    const member = fetching();
    expect(await member.group.fetch('1')).toEqual([]);
    expect(member.taken).toMatchObject([{ topic: 't', partition: 0, highWatermark: 1 }]);
    expect(offsetsOf(member)).toEqual([['0']]);
    expect(member.resolved).toEqual([{ topic: 't', partition: 0, offset: '0' }]);
  });

  it('are fetched again when the consumer does not take them', async () => {
    const member = fetching();
    member.takeBatch = () => undefined;
    await member.group.fetch('1');
    expect(member.resolved).toEqual([]);
  });

  it('are those from the offset on that was asked for, without control records, which count as read', async () => {
    const member = new FetchingMember();
    member.answer = async () => [dataOf([aRecord(3), aRecord(4), aRecord(5), aRecord(6, true)], 4)];
    await member.group.fetch('1');
    expect(offsetsOf(member)).toEqual([['4', '5']]);
    member.answer = async () => [dataOf([aRecord(3)], 4)];
    await member.group.fetch('1');
    expect(offsetsOf(member).at(-1)).toEqual([]);
    expect(member.resolved).toMatchObject([{ offset: '6' }, { offset: '4' }]);
  });

  it('are dropped when another generation has begun since they were asked for', async () => {
    const member = fetching((fetcher) => Object.assign(fetcher, { offsetManager: anOffsetManager() }));
    expect(await member.group.fetch('1')).toEqual([]);
    expect(member.taken).toEqual([]);
  });

  it.each([
    ['a join', { joining: Promise.resolve() }],
    ['the stop of the consumer', { stopping: true }],
  ] satisfies readonly (readonly [string, Partial<GroupState>])[])('are dropped during %s', async (_, ending) => {
    const member = fetching(({ state }) => Object.assign(state, ending));
    expect(await member.group.fetch('1')).toEqual([]);
    expect(member.taken).toEqual([]);
  });

  it.each([
    ['was paused', (member: FetchingMember) => member.pause(0)],
    ['is to be read from elsewhere', (member: FetchingMember) => void member.seeks.set(0, '7')],
  ] satisfies readonly Change[])('are dropped when the partition %s in the meantime', async (_, change) => {
    const member = fetching(change);
    await member.group.fetch('1');
    expect([member.taken, member.resolved]).toEqual([[], []]);
  });

  it.each(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'])(
    'are not taken, and no others are fetched, after a heartbeat got %s',
    async (type) => {
      const error = brokerError(type);
      const member = fetching(async ({ group }) => expect(group.heartbeat({ interval: 0 })).rejects.toBe(error));
      member.heartbeat = () => Promise.reject(error);
      await expect(member.group.fetch('1')).rejects.toBe(error);
      await expect(member.group.fetch('1')).rejects.toBe(error);
      expect([member.taken.length, member.requests.length]).toEqual([0, 1]);
    },
  );

  it('are still taken after a heartbeat without an answer', async () => {
    const member = fetching(async ({ group }) => expect(group.heartbeat({ interval: 0 })).rejects.toThrow('no answer'));
    member.heartbeat = () => Promise.reject(new Error('no answer'));
    await member.group.fetch('1');
    expect(member.taken).toHaveLength(1);
  });

  it('that can not be decoded are reported and not taken, while other partitions have theirs', async () => {
    const member = new FetchingMember();
    const error = new Error('damaged');
    member.answer = async () => [{ ...dataOf([], 7), unreadable: error }, dataOf()];
    await member.group.fetch('1');
    expect(member.unreadable).toEqual([{ topic: 't', partition: 0, offset: 7, error }]);
    expect(offsetsOf(member)).toEqual([['0']]);
  });
});

describe('a fetch', () => {
  const asked = ({ requests }: FetchingMember) =>
    requests.map(({ partitions }) =>
      partitions.map(({ partition, fetchOffset }) => `${partition} from ${fetchOffset}`),
    );

  it('asks for the partitions of its broker from where they were read, and finds them once', async () => {
    const member = new FetchingMember();
    await member.group.fetch('1');
    Object.assign(member.offsetManager.resolvedOffsets['t'] ?? {}, { 0: '12' });
    await member.group.fetch('1');
    await member.group.fetch('2');
    expect(asked(member)).toEqual([['0 from 0'], ['0 from 12'], ['1 from 0']]);
    expect(member.plans).toBe(2);
  });

  it.each([
    ['metadata expire', (member: FetchingMember) => void Object.assign(member, { metadataExpireAt: -1 })],
    ['metadata are discarded', (member: FetchingMember) => void Object.assign(member, { metadataExpireAt: null })],
    [
      'another broker leads',
      ({ group }: FetchingMember) => void Object.assign(group.cluster.brokerPool, { metadata: {} }),
    ],
    [
      'a generation begins',
      (member: FetchingMember) => void Object.assign(member, { offsetManager: anOffsetManager() }),
    ],
    ['a partition is paused', (member: FetchingMember) => member.pause(1)],
    ['a partition is resumed', (member: FetchingMember) => member.resume(1)],
  ] satisfies readonly Change[])('finds its partitions again when %s', async (_, change) => {
    const member = new FetchingMember();
    await member.group.fetch('1');
    change(member);
    await member.group.fetch('1');
    expect(member.plans).toBe(2);
  });

  it('seeks first', async () => {
    const member = new FetchingMember();
    await member.group.fetch('1');
    member.seeks.set(0, '7');
    await member.group.fetch('1');
    expect(asked(member)).toEqual([['0 from 0'], ['0 from 7']]);
  });

  it('goes to the broker that an answer named for a partition', async () => {
    const member = new FetchingMember();
    member.answer = async () => [{ ...dataOf([]), preferredReadReplica: 2 }];
    await member.group.fetch('1');
    const expireAt = member.clock.monotonic() + 30_000;
    expect(member.group.preferredReadReplicasPerTopicPartition).toEqual({ t: { 0: { nodeId: 2, expireAt } } });
    await member.group.fetch('1');
    expect(member.plans).toBe(2);
  });

  it('leaves its faults to kafkajs', async () => {
    const member = new FetchingMember();
    const [fault, recovered]: [Error, unknown[]] = [new Error('a fault'), []];
    member.answer = () => Promise.reject(fault);
    member.recover = async (error) => void recovered.push(error);
    expect(await member.group.fetch('1')).toEqual([]);
    expect(recovered).toEqual([fault]);
  });
});

it('a heartbeat between two fetches is sent once it is due', async () => {
  const member = new FetchingMember();
  for (const ms of [heartbeatMs - 1, 1, heartbeatMs - 1, 1]) {
    await member.clock.advance(ms);
    await member.runner.heartbeat();
  }
  expect([member.heartbeats, member.state.heartbeatIntervalMs]).toEqual([2, heartbeatMs]);
});
