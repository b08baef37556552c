import { describe, expect, it } from 'vitest';
import { eventually } from '../support/time/eventually.ts';
import type { Cluster } from './cluster.ts';
import { startMember } from './member.ts';
import { refusal, write } from './requests.ts';

/** Declares tests for what the service expects of brokers and client. The simulation's broker must pass them too. */
export function describeContract(name: string, open: () => Promise<Cluster>): void {
  describe(`writing to ${name}`, () => {
    it('assigns offsets in order and returns records unchanged', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic();
      const headers = [
        ['twice', 'b'],
        ['once', 'a'],
        ['empty', ''],
        ['twice', 'c'],
      ] as const;
      const [answer] = await write(cluster, topic, [
        { key: 'key', value: 'value', headers },
        { key: null, value: null },
      ]);
      expect(answer).toMatchObject({ topicName: topic, partition: 0, errorCode: 0, baseOffset: '0' });
      await using member = await startMember(cluster.client(), { groupId: cluster.uniqueGroup(), topic });
      const [first, second] = await member.received(2);
      expect(first).toMatchObject({ offset: '0', key: Buffer.from('key'), value: Buffer.from('value') });
      expect(first?.headers).toEqual(headers.map(([header, value]) => [header, Buffer.from(value)]));
      expect(second).toMatchObject({ offset: '1', key: null, value: null });
    });

    it('uses the source partition, modulo the number of partitions', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic({ partitions: 2 });
      const [answer] = await write(cluster, topic, [{ value: 'a', partition: 3 }]);
      expect(answer?.partition).toBe(1);
    });

    it('refuses large records and unknown topics with these errors', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic({ maxRecordBytes: 1000 });
      expect(await refusal(write(cluster, topic, [{ value: 'x'.repeat(2000) }]))).toBe('MESSAGE_TOO_LARGE');
      expect(await refusal(write(cluster, `${topic}.unknown`, [{ value: 'x' }]))).toBe('UNKNOWN_TOPIC_OR_PARTITION');
    });
  });

  describe(`reading from ${name}`, () => {
    it('repeats unresolved records, and continues after resolved ones', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic();
      await write(cluster, topic, [{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
      let batches = 0;
      await using member = await startMember(cluster.client(), {
        groupId: cluster.uniqueGroup(),
        topic,
        resolve: (offsets) => {
          batches += 1;
          return batches === 1 ? undefined : offsets[0];
        },
      });
      const received = await member.received(9);
      expect(received.slice(0, 9).map(({ offset }) => Number(offset))).toEqual([0, 1, 2, 0, 1, 2, 1, 2, 2]);
    });

    it('starts at the committed offset, and keeps the metadata of the commit', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic(), cluster.uniqueGroup()];
      await write(cluster, topic, [{ value: 'a' }, { value: 'b' }]);
      {
        await using member = await startMember(cluster.client(), { groupId, topic });
        await member.received(2);
        await member.commit(1, 'metadata');
      }
      expect(await cluster.committed(groupId, topic)).toEqual({ offset: 1, metadata: 'metadata' });
      await using member = await startMember(cluster.client(), { groupId, topic });
      expect((await member.received(1)).map(({ offset }) => offset)).toEqual(['1']);
    });

    it('reads nothing from a paused partition until it is resumed', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic({ partitions: 2 });
      await using member = await startMember(cluster.client(), { groupId: cluster.uniqueGroup(), topic });
      member.consumer.pause([{ topic, partitions: [0] }]);
      await write(cluster, topic, [{ value: 'paused', partition: 0 }]);
      await write(cluster, topic, [{ value: 'read', partition: 1 }]);
      await member.received(1);
      await write(cluster, topic, [{ value: 'read', partition: 1 }]);
      await member.received(2);
      expect(member.batches.map(({ partition }) => partition)).toEqual([1, 1]);
      member.consumer.resume([{ topic, partitions: [0] }]);
      await member.received(3);
      expect(member.batches.at(-1)?.partition).toBe(0);
    });

    it('reports offsets without a record', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic();
      const next = await cluster.appendUnreadable(topic);
      await using member = await startMember(cluster.client(), { groupId: cluster.uniqueGroup(), topic });
      await eventually('they are skipped', async () => member.skipped.at(-1) === next - 1);
      expect(member.batches).toEqual([]);
    });

    it('reports a deleted offset, and continues at the earliest one', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic(), cluster.uniqueGroup()];
      await write(
        cluster,
        topic,
        ['a', 'b', 'c', 'd'].map((value) => ({ value })),
      );
      {
        await using member = await startMember(cluster.client(), { groupId, topic });
        await member.commit(1);
      }
      await cluster.deleteRecords(topic, 3);
      const resets: unknown[] = [];
      const hooks = { offsetReset: (reset: unknown) => void resets.push(reset) };
      await using member = await startMember(cluster.client(), { groupId, topic, hooks });
      expect((await member.received(1)).map(({ offset }) => offset)).toEqual(['3']);
      expect(resets).toEqual([{ topic, partition: 0, from: 1, to: 3 }]);
    });

    it('reads a topic without a group from its start to its end', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic();
      await write(cluster, topic, [
        { key: 'a', value: '1' },
        { key: 'b', value: null },
      ]);
      await using log = cluster.openLog(topic);
      await log.refresh();
      expect([...log.leaders().keys()]).toEqual([0]);
      expect([await log.starts([0]), await log.ends()]).toEqual([new Map([[0, 0]]), new Map([[0, 2]])]);
      const [leader = 0] = log.leaders().values();
      const [fetched] = await log.fetch(leader, new Map([[0, 0]]));
      expect(fetched).toMatchObject({ partition: 0, from: 0, next: 2, end: 2 });
      expect(fetched?.records.map(({ key, value }) => [key?.toString(), value?.toString()])).toEqual([
        ['a', '1'],
        ['b', undefined],
      ]);
      expect(await log.fetch(leader, new Map([[0, 2]]))).toMatchObject([{ from: 2, next: 2, end: 2 }]);
      expect(await refusal(log.fetch(leader, new Map([[0, 7]])))).toBe('OFFSET_OUT_OF_RANGE');
    });
  });

  describe(`a group of ${name}`, () => {
    it('calls its members before they join again, and accepts their commits until then, for longer than a session', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic({ partitions: 2 }), cluster.uniqueGroup()];
      await write(cluster, topic, [{ value: 'a' }]);
      const sessionTimeout = 2000;
      // Each answers one of the heartbeats, which are 200 ms apart or more.
      const longer = Promise.withResolvers<void>();
      let awaited = 0;
      const rejoins: unknown[] = [];
      const hooks = {
        awaitedByGroup: () => {
          awaited += 1;
          if (awaited > 2 * (sessionTimeout / 200)) longer.resolve();
        },
        beforeRejoin: async (rejoin: { readonly kicked: boolean }) => {
          rejoins.push(rejoin);
          await longer.promise;
          await first.commit(1);
        },
      };
      await using first = await startMember(cluster.client(), { groupId, topic, name: 'first', hooks, sessionTimeout });
      await first.received(1);
      await using second = await startMember(cluster.client(), { groupId, topic, name: 'second' });
      await eventually('both have joined', async () => first.joins.length === 2 && second.joins.length === 1);
      expect(rejoins).toEqual([{ kicked: false }]);
      expect(first.joins[1]?.memberId).toBe(first.joins[0]?.memberId);
      expect([first.joins.at(-1)?.partitions, second.joins.at(-1)?.partitions]).toEqual([[0], [1]]);
      expect(await cluster.committed(groupId, topic)).toMatchObject({ offset: 1 });
    });

    it('waits for a member that leaves, for longer than its session, and accepts its commits until then', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic({ partitions: 2 }), cluster.uniqueGroup()];
      await write(cluster, topic, [{ value: 'a' }]);
      let awaited = 0;
      const longer = Promise.withResolvers<void>();
      const awaitedByGroup = (): void => {
        awaited += 1;
        if (awaited >= 4) longer.resolve();
      };
      const hooks = { isLeaving: () => true, awaitedByGroup };
      const sessionTimeout = 2000;
      await using second = await (async () => {
        await using first = await startMember(cluster.client(), {
          groupId,
          topic,
          name: 'first',
          hooks,
          sessionTimeout,
        });
        await first.received(1);
        first.consumer.pause([{ topic }]);
        const joining = startMember(cluster.client(), { groupId, topic, name: 'second' });
        await longer.promise;
        await first.commit(1);
        expect(first.joins).toHaveLength(1);
        await first.consumer.disconnect();
        return await joining;
      })();
      await eventually('the other has joined', async () => second.joins.at(-1)?.partitions.length === 2);
      expect(await cluster.committed(groupId, topic)).toMatchObject({ offset: 1 });
    });

    it('assigns a partition to the same instance in groups with different histories', async () => {
      await using cluster = await open();
      const topic = await cluster.createTopic({ partitions: 12 });
      const start = async (groupId: string, instance: string) =>
        startMember(cluster.client(), { groupId, topic, name: instance });
      const [certificates, retries] = [cluster.uniqueGroup(), cluster.uniqueGroup()];
      await using first = await start(certificates, 'first');
      {
        await using _gone = await start(certificates, 'gone');
        await eventually('both have joined', async () => first.joins.length === 2);
      }
      await using second = await start(certificates, 'second');
      await using secondForRetries = await start(retries, 'second');
      await using firstForRetries = await start(retries, 'first');
      const pairs = [
        [first, firstForRetries],
        [second, secondForRetries],
      ] as const;
      await eventually('each has half in both groups', async () =>
        pairs.flat().every(({ joins }) => joins.at(-1)?.partitions.length === 6),
      );
      for (const [one, other] of pairs) expect(one.joins.at(-1)?.partitions).toEqual(other.joins.at(-1)?.partitions);
    });

    it('gives the partitions of a leaving member to the others', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic({ partitions: 2 }), cluster.uniqueGroup()];
      await using first = await startMember(cluster.client(), { groupId, topic, name: 'first' });
      {
        await using second = await startMember(cluster.client(), { groupId, topic, name: 'second' });
        await eventually('both have joined', async () => first.joins.length === 2 && second.joins.length === 1);
      }
      await eventually('the other has joined again', async () => first.joins.length === 3);
      expect(first.joins.map(({ partitions }) => partitions)).toEqual([[0, 1], [0], [0, 1]]);
    });

    it('refuses the commit of a dropped member, which then joins with another id', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic(), cluster.uniqueGroup()];
      await write(cluster, topic, [{ value: 'a' }]);
      const rejoins: unknown[] = [];
      const refused: unknown[] = [];
      const hooks = {
        beforeRejoin: async (rejoin: { readonly kicked: boolean }) => {
          rejoins.push(rejoin);
          refused.push(await refusal(member.commit(1)));
        },
      };
      await using member = await startMember(cluster.client(), { groupId, topic, hooks });
      await member.received(1);
      await cluster.dropMember(groupId, member.joins[0]?.memberId ?? '');
      await eventually('it has joined again', async () => member.joins.length === 2);
      expect(rejoins).toEqual([{ kicked: true }]);
      expect(refused).toEqual(['UNKNOWN_MEMBER_ID']);
      expect(member.joins[1]?.memberId).not.toBe(member.joins[0]?.memberId);
      expect(await cluster.committed(groupId, topic)).toBeUndefined();
    });

    it('refuses the commit of a dropped member, which then joins again although no heartbeat is due', async () => {
      await using cluster = await open();
      const [topic, groupId] = [await cluster.createTopic(), cluster.uniqueGroup()];
      await write(cluster, topic, [{ value: 'a' }]);
      const rejoins: unknown[] = [];
      const hooks = { beforeRejoin: async (rejoin: unknown) => void rejoins.push(rejoin) };
      const rare = { sessionTimeout: 600_000, heartbeatInterval: 500_000 };
      await using member = await startMember(cluster.client(), { groupId, topic, hooks, ...rare });
      await member.received(1);
      await cluster.dropMember(groupId, member.joins[0]?.memberId ?? '');
      expect(await refusal(member.commit(1))).toBe('UNKNOWN_MEMBER_ID');
      // The broker may hold a fetch until the next heartbeat is due. A record ends it.
      await write(cluster, topic, [{ value: 'b' }]);
      await eventually('it has joined again', async () => member.joins.length === 2);
      expect(rejoins).toEqual([{ kicked: true }]);
    });
  });
}
