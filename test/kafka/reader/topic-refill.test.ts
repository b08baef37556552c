import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { logMark } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { followLog, kafkaError, startFollowing } from '../support/follow-log.ts';
import { ScriptedLog } from '../support/scripted-log.ts';

const four = ['a=1', 'b=1', 'c=1', 'd=1'];

/** Follows a topic of four keys that is then deleted and created again with these partitions. */
async function recreated(...partitions: readonly string[][]) {
  const log = new ScriptedLog();
  log.topicId = 'one';
  log.write(0, ...four);
  const following = followLog(log);
  await following.clock.advance(0);
  log.topicId = 'another';
  log.partitions = [...partitions];
  log.change();
  await following.clock.advance(1_000);
  following.events.length = 0;
  const write = async (partition: number, ...records: readonly string[]): Promise<void> => {
    log.write(partition, ...records);
    await setImmediate();
  };
  /** Lets time pass in which the broker answers that there is nothing new. */
  const wait = async (ms: number): Promise<void> => {
    await following.clock.advance(ms);
    for (let answer = 1; answer <= 2; answer += 1) await write(0);
  };
  const isUpToDate = (): boolean =>
    following.follower.hasReached(new Map(log.partitions.map((records, partition) => [partition, records.length])));
  return { ...following, log, write, wait, isUpToDate };
}

describe('a topic that was deleted and created again', () => {
  it('changes nothing while it is empty, and says so', async () => {
    await using topic = await recreated([]);
    expect(topic.table.entries()).toEqual({ a: '1', b: '1', c: '1', d: '1' });
    expect(topic.isUpToDate()).toBe(false);
    expect(topic.follower.status()).toEqual({
      problem:
        'webhook configurations in webhooks: it was deleted, created again or truncated, and lacks 4 of 4: a, b, c, d. ' +
        'Write them again, or confirm that the others are all: configurations accept',
      lagRecords: 4,
    });
    await topic.wait(3_600_000);
    expect(topic.isUpToDate()).toBe(false);
  });

  it('is in use again at once when it holds all keys again, whatever is new in it', async () => {
    await using topic = await recreated([]);
    await topic.write(0, 'a=2', 'b=2', 'c=2', 'e=2', 'f=2');
    expect(topic.isUpToDate()).toBe(false);
    await topic.write(0, 'd=2');
    expect(topic.isUpToDate()).toBe(true);
    expect(topic.table.entries()).toEqual({ a: '2', b: '2', c: '2', d: '2', e: '2', f: '2' });
    expect(topic.events).toEqual(['replaced: 4 of 4']);
    expect(topic.follower.status()).toEqual({ problem: undefined, lagRecords: 0 });
  });

  it('is not in use while one key is missing, however long, and what is missing is named', async () => {
    await using topic = await recreated(['a=2', 'b=2', 'c=2']);
    await topic.write(0, 'e=2', 'f=2');
    await topic.wait(3_600_000);
    expect([topic.isUpToDate(), topic.table.entries()]).toEqual([
      false,
      { a: '2', b: '2', c: '2', d: '1', e: '2', f: '2' },
    ]);
    expect(topic.follower.status()).toEqual({
      problem: expect.stringContaining('lacks 1 of 4: d. ') as string,
      lagRecords: 1,
    });
  });

  it('names some of many missing keys, each in one line', async () => {
    const log = Object.assign(new ScriptedLog(), { topicId: 'one' });
    log.write(0, 'line\n=1', `${'long'.repeat(100)}=1`, ...Array.from({ length: 10 }, (_, index) => `${index}=1`));
    await using topic = followLog(log);
    await topic.clock.advance(0);
    Object.assign(log, { topicId: 'another', partitions: [[]] });
    log.change();
    await topic.clock.advance(1_000);
    const named = `line\\u000a, ${'long'.repeat(25)}, 0, 1, 2 and 7 more`;
    expect(topic.follower.status().problem).toContain(`lacks 12 of 12: ${named}. `);
  });

  it('is in use again with fewer keys once it is accepted in each partition', async () => {
    await using topic = await recreated(['a=2'], []);
    await topic.write(0, acceptanceKey);
    expect(topic.isUpToDate()).toBe(false);
    await topic.write(1, acceptanceKey);
    expect(topic.isUpToDate()).toBe(true);
    expect(topic.table.entries()).toEqual({ a: '2' });
  });

  it('was accepted before it was found', async () => {
    await using topic = await recreated(['a=2', acceptanceKey]);
    expect(topic.isUpToDate()).toBe(true);
    expect(topic.table.entries()).toEqual({ a: '2' });
  });

  it('is not accepted by the tombstone of a configuration that is called as the record of an acceptance', async () => {
    await using topic = await recreated(['a=2', `${acceptanceKey}=1`]);
    expect(topic.table.entries()).toMatchObject({ [acceptanceKey]: '1' });
    await topic.write(0, acceptanceKey);
    expect(topic.table.entries()).toEqual({ a: '2', b: '1', c: '1', d: '1' });
    expect(topic.isUpToDate()).toBe(false);
    await topic.write(0, acceptanceKey);
    expect(topic.isUpToDate()).toBe(true);
  });

  it('is laid over the last state: new versions and tombstones count at once', async () => {
    await using topic = await recreated(['a', 'b=2', 'x', 'y=1', 'y']);
    expect(topic.table.entries()).toEqual({ b: '2', c: '1', d: '1' });
    await topic.write(0, 'c=2', 'new=1', 'd=2', 'd');
    expect(topic.table.entries()).toEqual({ b: '2', c: '2', new: '1' });
  });

  it('expects no key that a tombstone removed, however many there are', async () => {
    await using topic = await recreated(['a', 'x', 'y', 'z']);
    expect(topic.follower.status().lagRecords).toBe(3);
    await topic.write(0, 'b', 'c');
    expect(topic.isUpToDate()).toBe(false);
    await topic.write(0, 'd');
    expect(topic.isUpToDate()).toBe(true);
    expect(topic.table.entries()).toEqual({});
  });

  it('expects the keys of the last state when it is created again once more', async () => {
    await using topic = await recreated(['a', 'e=2']);
    topic.log.topicId = 'third';
    topic.log.partitions = [['e=3']];
    topic.log.change();
    await topic.clock.advance(1_000);
    expect(topic.events).toEqual(['restarted', 'held: 1 of 4']);
    expect(topic.table.entries()).toEqual({ b: '1', c: '1', d: '1', e: '3' });
  });

  it('is not put in use by the time that passes after it was deleted again', async () => {
    await using topic = await recreated(['a=2', 'b=2']);
    topic.log.fault = kafkaError('UNKNOWN_TOPIC_OR_PARTITION');
    topic.log.change();
    await topic.clock.advance(60_000);
    expect(topic.table.entries()).toEqual({ a: '2', b: '2', c: '1', d: '1' });
    expect(topic.follower.status()).toEqual({
      problem:
        'the topic webhooks: it does not exist. Create it (topics --create) and write all webhook configurations again',
      lagRecords: 4,
    });
  });
});

describe('the topic that was last complete', () => {
  it('is the one before until nothing is missing', async () => {
    await using topic = await recreated([]);
    expect(topic.follower.complete).toEqual(logMark(undefined, 'one'));
    await topic.write(0, 'a=2', 'b=2', 'c=2');
    expect(topic.follower.complete).toEqual(logMark(undefined, 'one'));
    await topic.write(0, 'd=2');
    expect(topic.follower.complete).toEqual(logMark(undefined, 'another'));
  });

  it('is not known before the first read is complete, and with brokers that report no ids', async () => {
    const log = Object.assign(new ScriptedLog(), { fault: new Error('no broker') });
    await using topic = followLog(log);
    await topic.clock.advance(0);
    expect(topic.follower.complete).toBeUndefined();
    log.fault = undefined as never;
    await topic.clock.advance(1_000);
    expect([topic.follower.hasReached(new Map([[0, 0]])), topic.follower.complete]).toEqual([true, undefined]);
  });
});

describe('a topic that gets another partition', () => {
  it('is read again, and the newest record of each key counts, a tombstone included', async () => {
    await using topic = await startFollowing('moved=1@10', 'removed=1@10', 'stays=1@10');
    const { log } = topic;
    log.partitions.push([]);
    log.write(1, 'moved=2@20', 'removed@20', 'stays=0@5');
    await topic.clock.advance(1_000);
    const after = { moved: '2', stays: '1' };
    expect(topic.table.entries()).toEqual(after);
    log.write(0, 'removed=1@15', 'moved@15');
    await setImmediate();
    expect(topic.table.entries()).toEqual(after);
    expect(topic.events).toEqual(['restarted', 'restarted', 'duplicated: 3, moved,removed,stays']);
  });
});

describe('a topic that cannot be read', () => {
  it.each([
    ['TOPIC_AUTHORIZATION_FAILED', 'grant Read and Describe on it'],
    ['LEADER_NOT_AVAILABLE', 'a partition has no leader, start the brokers that hold it'],
    ['SOMETHING_ELSE', 'SOMETHING_ELSE'],
  ])('says so after ten seconds of %s, and moves on without a restart', async (type, reason) => {
    const log = new ScriptedLog();
    log.write(0, 'a=1');
    await using topic = followLog(log);
    await topic.clock.advance(5_000);
    log.change();
    await topic.clock.advance(0);
    log.fault = kafkaError(type);
    log.change();
    await topic.clock.advance(10_000);
    expect(topic.follower.status().problem).toBeUndefined();
    await topic.clock.advance(2_000);
    expect(topic.follower.status()).toEqual({
      problem: `reads from webhooks, which fail since 12 s: ${reason}`,
      lagRecords: 1,
    });
    log.fault = undefined;
    log.write(0, 'a=2');
    await topic.clock.advance(5_000);
    expect(topic.follower.status()).toEqual({ problem: undefined, lagRecords: 0 });
    expect(topic.table.entries()).toEqual({ a: '2' });
  });
});
