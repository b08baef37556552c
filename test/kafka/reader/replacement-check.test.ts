import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { encodeMetadata, logMark, type LogMark } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { askCommits } from '../../../src/kafka/reader/replacement-check.ts';
import type { Admin } from '../../../src/kafka/client/kafka.ts';
import { followLog, kafkaError } from '../support/follow-log.ts';
import { ScriptedLog } from '../support/scripted-log.ts';

describe('a process that starts after another topic was complete', () => {
  /** Starts with a topic of three keys. `isReplaced` says whether the commits name another one. */
  async function started(isReplaced: () => boolean, log = new ScriptedLog()) {
    Object.assign(log, { topicId: 'another' });
    log.write(0, 'a=1', 'b=1', 'c=1');
    const asked: unknown[] = [];
    const ask = async (topic: unknown): Promise<boolean> => {
      asked.push(topic);
      return Promise.resolve(isReplaced());
    };
    const following = followLog(log, { isReplaced: ask });
    await following.clock.advance(0);
    const isUpToDate = (): boolean => following.follower.hasReached(new Map([[0, log.partitions[0]?.length ?? 0]]));
    return { ...following, log, ask: asked, isUpToDate };
  }

  it('waits until somebody accepts it, and says so', async () => {
    await using start = await started(() => true);
    start.log.write(0, 'd=1');
    await start.clock.advance(3_600_000);
    for (let answer = 1; answer <= 2; answer += 1) {
      start.log.write(0);
      await setImmediate();
    }
    expect(start.isUpToDate()).toBe(false);
    expect(start.follower.complete).toBeUndefined();
    expect(start.follower.status()).toEqual({
      problem:
        'webhook configurations in webhooks: it is another topic than the one that was last complete, and may lack some. ' +
        'Write all of them, compare the list with what you expect, and confirm it: configurations accept',
      lagRecords: 1,
    });
    start.log.write(0, acceptanceKey);
    await setImmediate();
    expect(start.isUpToDate()).toBe(true);
    expect(start.follower.complete).toEqual(logMark(undefined, 'another'));
    expect(start.events).toEqual(['restarted', 'held: 3 of undefined', 'replaced: 4 of undefined']);
  });

  it('goes on at once with a topic that was accepted before', async () => {
    const log = new ScriptedLog();
    log.write(0, acceptanceKey);
    await using start = await started(() => true, log);
    expect([start.isUpToDate(), start.events]).toEqual([true, ['restarted']]);
  });

  it('goes on once another process has completed the topic, and asks every five seconds', async () => {
    let isReplaced = true;
    await using start = await started(() => isReplaced);
    await start.clock.advance(60_000);
    expect(start.ask.length).toBeLessThan(15);
    expect(start.ask[0]).toEqual(logMark(undefined, 'another'));
    isReplaced = false;
    await start.clock.advance(6_000);
    expect(start.isUpToDate()).toBe(true);
    const asked = start.ask.length;
    await start.clock.advance(60_000);
    expect(start.ask).toHaveLength(asked);
  });

  it('waits for the answer, which may fail', async () => {
    const log = Object.assign(new ScriptedLog(), { topicId: 'another' });
    log.write(0, 'a=1');
    let fault: Error | undefined = kafkaError('NOT_COORDINATOR_FOR_GROUP');
    await using start = followLog(log, { isReplaced: () => (fault ? Promise.reject(fault) : Promise.resolve(false)) });
    await start.clock.advance(10_000);
    expect(start.follower.hasReached(new Map([[0, 1]]))).toBe(false);
    fault = undefined;
    await start.clock.advance(5_000);
    expect(start.follower.hasReached(new Map([[0, 1]]))).toBe(true);
  });

  it('waits as well if the topic is created again before it was read', async () => {
    const log = Object.assign(new ScriptedLog(), { topicId: 'before', fetchFault: kafkaError('LEADER_NOT_AVAILABLE') });
    log.write(0, 'a=1', 'b=1');
    const isReplaced = ({ topic }: LogMark): Promise<boolean> => Promise.resolve(topic !== 'before');
    await using start = followLog(log, { isReplaced });
    await start.clock.advance(1_000);
    Object.assign(log, { topicId: 'another', partitions: [['a=1']], fetchFault: undefined });
    log.change();
    await start.clock.advance(10_000);
    expect(start.follower.hasReached(new Map([[0, 1]]))).toBe(false);
    expect(start.follower.status().problem).toContain('another topic');
  });
});

describe('a process that had not read all of its topic when that was created again', () => {
  it.each([
    ['because a transaction was open', { openAt: 2 }],
    ['because its broker gave no records', { withheldAt: 2 }],
    ['because no fetch was answered since', { fetchFault: kafkaError('LEADER_NOT_AVAILABLE') }],
  ])('waits until somebody accepts the new one, %s', async (_title, obstacle) => {
    const log = Object.assign(new ScriptedLog(), { topicId: 'before' });
    log.write(0, 'a=1', 'b=1');
    await using process = followLog(log, { isReplaced: ({ topic }) => Promise.resolve(topic !== 'before') });
    await process.clock.advance(1_000);
    Object.assign(log, obstacle);
    log.write(0, 'unread=1');
    await process.follower.askEnds();
    await process.clock.advance(1_000);
    // What it knew is there again. The other key follows.
    Object.assign(log, new ScriptedLog(), { topicId: 'another', partitions: [['a=1', 'b=1']] });
    log.change();
    await process.clock.advance(10_000);
    expect(process.follower.hasReached(new Map([[0, 2]]))).toBe(false);
    expect(process.follower.status().problem).toContain('another topic');
    log.write(0, 'unread=1', acceptanceKey);
    await setImmediate();
    expect(process.follower.hasReached(new Map([[0, 4]]))).toBe(true);
    expect(process.table.entries()).toEqual({ a: '1', b: '1', unread: '1' });
  });
});

describe('the commits of a group', () => {
  /** Asks a group that has these commits in one partition each. */
  function ask(metadata: readonly string[], fault?: Error): ReturnType<typeof askCommits> {
    const partitions = metadata.map((text, partition) => ({ partition, offset: '5', metadata: text }));
    const admin: Pick<Admin, 'connect' | 'disconnect' | 'fetchOffsets'> = {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      fetchOffsets: () =>
        fault === undefined ? Promise.resolve([{ topic: 'completed', partitions }]) : Promise.reject(fault),
    };
    return askCommits({ kafka: { admin: () => admin as Admin }, groupId: 'group', topics: ['completed'] });
  }
  const [current, before] = [logMark('cluster', '00000002'), logMark('cluster', '00000001')];
  const naming = (configurations: LogMark | undefined): string =>
    encodeMetadata(5, { settled: [], mark: undefined, configurations }, 100);

  it('tell of another topic as long as none names this one', async () => {
    expect(await ask([naming(undefined), naming(before)])(current)).toBe(true);
    expect(await ask([naming(before), naming(current)])(current)).toBe(false);
    expect(await ask(['', 'of another tool'])(current)).toBe(false);
  });

  it.each(['GROUP_AUTHORIZATION_FAILED', 'TOPIC_AUTHORIZATION_FAILED', 'UNKNOWN_TOPIC_OR_PARTITION'])(
    'tell nothing after %s',
    async (type) => {
      expect(await ask([naming(before)], kafkaError(type))(current)).toBe(false);
    },
  );

  it('are asked for again after other failures', async () => {
    const asked = ask([], kafkaError('NOT_COORDINATOR_FOR_GROUP'))(current);
    await expect(asked).rejects.toThrow('NOT_COORDINATOR_FOR_GROUP');
  });
});
