import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { followLog, kafkaError, startFollowing } from '../support/follow-log.ts';
import { ScriptedLog } from '../support/scripted-log.ts';

describe('following a topic', () => {
  it('fills the table, and continues with later records', async () => {
    await using following = await startFollowing('a=1', 'b=1', 'a');
    expect(following.table.entries()).toEqual({ b: '1' });
    following.log.write(0, 'c=1');
    await setImmediate();
    expect(following.table.entries()).toEqual({ b: '1', c: '1' });
    expect(following.follower.hasReached(new Map([[0, 4]]))).toBe(true);
    expect(following.follower.status()).toEqual({ problem: undefined, lagRecords: 0 });
  });

  it('finds added partitions within a second', async () => {
    await using following = await startFollowing();
    const { log } = following;
    log.partitions.push([]);
    log.write(1, 'new=1');
    await following.clock.advance(999);
    expect(following.table.entries()).toEqual({});
    await following.clock.advance(1);
    log.change();
    await setImmediate();
    expect(following.table.entries()).toEqual({ new: '1' });
  });

  it('backs off and reports while Kafka can’t be reached', async () => {
    const log = new ScriptedLog();
    log.fault = new Error('no broker');
    await using following = followLog(log);
    await following.clock.advance(300);
    expect(following.events).toEqual([
      'Error: no broker, again in 100 ms',
      'Error: no broker, again in 200 ms',
      'Error: no broker, again in 400 ms',
    ]);
    log.fault = undefined;
    log.write(0, 'a=1');
    await following.clock.advance(400);
    expect(following.table.entries()).toEqual({ a: '1' });
  });

  it('continues at its position after a broker was unreachable', async () => {
    await using following = await startFollowing('a=1');
    const { log } = following;
    log.fault = new Error('broker gone');
    log.change();
    await following.clock.advance(0);
    log.fault = undefined;
    log.write(0, 'a=2');
    await following.clock.advance(100);
    expect(following.table.entries()).toEqual({ a: '2' });
    log.fault = new Error('gone again');
    log.change();
    await following.clock.advance(0);
    expect(following.events).toEqual([
      'restarted',
      'Error: broker gone, again in 100 ms',
      'Error: gone again, again in 100 ms',
    ]);
  });

  it('waits for a missing topic, and reports once that it is missing and once that it exists', async () => {
    const log = new ScriptedLog();
    log.fault = kafkaError('UNKNOWN_TOPIC_OR_PARTITION');
    await using following = followLog(log);
    await following.clock.advance(10_000);
    log.fault = undefined;
    log.write(0, 'a=1');
    await following.clock.advance(5_000);
    expect(following.table.entries()).toEqual({ a: '1' });
    expect(following.events).toEqual(['missing: webhooks', 'missing: ', 'restarted']);
  });
});

describe('a topic that is recreated or truncated', () => {
  it('is read again from its start after it was recreated', async () => {
    await using following = await startFollowing('old=1', 'kept=1');
    const { log } = following;
    log.fault = kafkaError('UNKNOWN_TOPIC_OR_PARTITION');
    log.change();
    await following.clock.advance(0);
    expect(following.table.entries()).toEqual({ old: '1', kept: '1' });
    log.fault = undefined;
    // The new topic has as many records as the old one, so the old position is its end.
    log.partitions = [['kept=2', 'old']];
    await following.clock.advance(100);
    expect(following.table.entries()).toEqual({ kept: '2' });
  });

  it('is read again from its start when it was recreated too quickly to be found missing', async () => {
    const log = new ScriptedLog();
    log.topicId = 'one';
    log.write(0, 'old=1', 'kept=1');
    await using following = followLog(log);
    await following.clock.advance(0);
    log.topicId = 'another';
    log.partitions = [['kept=2', 'old', 'new=1']];
    await following.clock.advance(1_000);
    expect(following.table.entries()).toEqual({ kept: '2', new: '1' });
  });

  it('is read again from its start when its log no longer holds our position', async () => {
    await using following = await startFollowing('a=1', 'a=1');
    const { log } = following;
    log.partitions = [['a=2']];
    log.fault = kafkaError('OFFSET_OUT_OF_RANGE');
    log.change();
    await following.clock.advance(0);
    log.fault = undefined;
    await following.clock.advance(100);
    expect(following.table.entries()).toEqual({ a: '2' });
  });

  it('is noticed by its end, and its end is asked for again after the new read', async () => {
    await using following = await startFollowing('a=1', 'a=1');
    following.log.partitions = [['a=2']];
    const ends = following.follower.askEnds();
    await following.clock.advance(100);
    expect(await ends).toEqual(new Map([[0, 1]]));
    expect(following.table.entries()).toEqual({ a: '2' });
    expect(following.events[1]).toContain('webhooks ends before what was read of it');
  });
});

describe('the end of a topic', () => {
  it('is requested until Kafka answers', async () => {
    await using following = await startFollowing();
    const { log } = following;
    log.fault = new Error('no broker');
    const ends = following.follower.askEnds();
    await following.clock.advance(100);
    log.fault = undefined;
    await following.clock.advance(200);
    expect(await ends).toEqual(new Map([[0, 0]]));
  });

  it('includes the partitions that the topic has when it is asked for, and waits until they are read', async () => {
    await using following = await startFollowing();
    following.log.partitions.push(['new=1']);
    const ends = following.follower.askEnds();
    await following.clock.advance(1);
    const reached = new Map([
      [0, 0],
      [1, 1],
    ]);
    expect(await ends).toEqual(reached);
    expect(following.follower.hasReached(reached)).toBe(true);
    expect(following.table.entries()).toEqual({ new: '1' });
  });

  it('is not asked for after disposal', async () => {
    const log = new ScriptedLog();
    log.fault = new Error('no broker');
    const following = followLog(log);
    const ends = following.follower.askEnds();
    await following.clock.advance(0);
    await following[Symbol.asyncDispose]();
    expect(await ends).toBeUndefined();
  });
});

describe('a partition that is not read on although its broker answers', () => {
  it.each([
    ['a transaction is open at offset 1', { openAt: 1 }],
    ['its broker answers without records', { withheldAt: 1 }],
  ])('holds the barrier, also that of a start, and is named: %s', async (why, disturbance) => {
    const log = Object.assign(new ScriptedLog(), disturbance);
    log.write(0, 'a=1', 'b=1');
    await using following = followLog(log);
    await following.clock.advance(100);
    const end = await following.follower.askEnds();
    expect([end, following.follower.hasReached(end ?? new Map())]).toEqual([new Map([[0, 2]]), false]);
    for (let answer = 1; answer <= 200; answer += 1) {
      log.change();
      await following.clock.advance(100);
    }
    expect(following.follower.hasReached(end ?? new Map())).toBe(false);
    expect(following.follower.status()).toEqual({
      problem: `reads from webhooks, since 20 s partition 0 from offset 1 on: ${why}`,
      lagRecords: 1,
    });
    Object.assign(log, { openAt: undefined, withheldAt: undefined });
    log.change();
    await following.clock.advance(100);
    expect(following.follower.status()).toEqual({ problem: undefined, lagRecords: 0 });
    expect(following.table.entries()).toEqual({ a: '1', b: '1' });
  });
});

describe('a follower that got no answer for hours', () => {
  const hourMs = 3_600_000;

  /** Follows a topic of three keys, and lets no broker answer for some hours. In the meantime the topic becomes `after`. */
  async function silence(hours: number, after: readonly string[], keptMs?: number | Error) {
    const log = new ScriptedLog();
    log.topicId = 'one';
    log.write(0, 'removed=1', 'a=1', 'b=1');
    const following = followLog(log, { keptMs });
    await following.clock.advance(0);
    log.fault = new Error('no broker');
    log.change();
    await following.clock.advance(hours * hourMs);
    log.partitions = [[...after]];
    log.fault = undefined;
    following.events.length = 0;
    const recover = async (): Promise<void> => {
      await following.clock.advance(6_000);
      log.change();
      await following.clock.advance(6_000);
    };
    return { ...following, log, recover };
  }
  /** Offsets without a record stand for the removed key and its tombstone, which compaction has taken away. */
  const compacted = ['', 'a=1', 'b=1', '', 'new=1'];
  const withoutRemoved = { a: '1', b: '1', new: '1' };

  it('reads the topic again, and takes a removed key for removed although its tombstone is gone', async () => {
    await using following = await silence(13, compacted);
    await following.recover();
    expect(following.table.entries()).toEqual(withoutRemoved);
    expect(following.follower.status().problem).toBeUndefined();
    expect(following.events).toEqual([expect.stringContaining('tombstones may be gone'), 'restarted']);
  });

  it.each([
    { hours: 11, keptMs: undefined, isReadAgain: false },
    { hours: 11, keptMs: kafkaError('TOPIC_AUTHORIZATION_FAILED'), isReadAgain: false },
    { hours: 1, keptMs: new Error('the outage goes on elsewhere'), isReadAgain: true },
    { hours: 1, keptMs: hourMs, isReadAgain: true },
    { hours: 100, keptMs: 1_000 * hourMs, isReadAgain: false },
    { hours: 0.1, keptMs: 1, isReadAgain: false },
    { hours: 0.2, keptMs: 1, isReadAgain: true },
  ])(
    'reads it again after half of the time for which tombstones are kept: %j',
    async ({ hours, keptMs, isReadAgain }) => {
      await using following = await silence(hours, compacted, keptMs);
      await following.recover();
      expect(following.events.includes('restarted')).toBe(isReadAgain);
      expect(following.asked).toHaveLength(hours < 1 / 6 ? 0 : 1);
    },
  );

  it('asks nothing of a topic that nobody wrote to', async () => {
    await using following = await silence(13, ['', 'a=1', 'b=1']);
    await following.recover();
    expect([following.asked, following.events]).toEqual([[], []]);
  });

  it('waits for a refill if the topic was created again, although the silence is noticed first', async () => {
    const log = Object.assign(new ScriptedLog(), { topicId: 'one', partitions: [['removed=1', 'a=1', 'b=1']] });
    await using following = followLog(log);
    // A broker that holds the fetch, for example while this process is stopped.
    await following.clock.advance(13 * hourMs);
    log.refreshFault = new Error('no controller');
    Object.assign(log, { topicId: 'another', partitions: [compacted] });
    log.change();
    await following.clock.advance(1_000);
    expect(following.asked).toHaveLength(1);
    log.refreshFault = undefined;
    await following.clock.advance(20_000);
    expect(following.table.entries()).toEqual({ removed: '1', ...withoutRemoved });
    expect(following.events).toContain('held: 2 of 3');
  });
});
