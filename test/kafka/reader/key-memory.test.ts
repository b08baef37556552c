import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { KeyMemory } from '../../../src/kafka/reader/key-memory.ts';
import { decodeMemory, encodeMemory, type RememberedTopic } from '../../../src/kafka/reader/topic-memory.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { followLog, kafkaError } from '../support/follow-log.ts';
import { ScriptedLog } from '../support/scripted-log.ts';

/** A memory in this process, which can be told to fail. */
class StubMemory {
  remembered: RememberedTopic | undefined;
  fault: Error | undefined;
  readonly writes: number[] = [];

  async read(): Promise<RememberedTopic | undefined> {
    if (this.fault !== undefined) throw this.fault;
    return Promise.resolve(this.remembered);
  }

  async write(remembered: RememberedTopic): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    this.writes.push(remembered.keys);
    this.remembered = await Promise.resolve(remembered);
  }
}

function remember(memory: StubMemory) {
  const clock = new ManualClock();
  const failures: string[] = [];
  const events = { kafkaUnreachable: ({ error }: { readonly error: unknown }) => failures.push(String(error)) };
  return { clock, failures, keys: new KeyMemory({ topic: 'webhooks', memory, events, clock }) };
}

describe('what is remembered of a topic', () => {
  it('is the text that was written, and no other text', () => {
    const topic = { topic: 'a topic', id: '0123456789abcdef0123456789abcdef', keys: 12 };
    expect(decodeMemory(encodeMemory(topic))).toEqual(topic);
    for (const text of ['', 'k2:1@0 a', 'k1:-1@0123456789abcdef0123456789abcdef a', 'k1:1@0123 a']) {
      expect(decodeMemory(text)).toBeUndefined();
    }
  });

  it('is written every five seconds while it changes, and once an hour when it does not', async () => {
    const memory = new StubMemory();
    const { clock, keys } = remember(memory);
    const noteFor = async (seconds: number, count: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        keys.note('id', count);
        await clock.advance(1_000);
      }
    };
    await noteFor(3, 4);
    expect(memory.writes).toEqual([4]);
    await noteFor(2, 5);
    expect(memory.writes).toEqual([4]);
    await noteFor(3_600, 5);
    expect(memory.writes).toEqual([4, 5]);
    await noteFor(1, 5);
    expect(memory.writes).toEqual([4, 5, 5]);
    await keys[Symbol.asyncDispose]();
  });

  it('is written again after a failure, which is reported', async () => {
    const memory = new StubMemory();
    const { clock, keys, failures } = remember(memory);
    memory.fault = new Error('no coordinator');
    keys.note('id', 4);
    await setImmediate();
    expect(failures).toEqual(['Error: no coordinator']);
    memory.fault = undefined;
    await clock.advance(5_000);
    keys.note('id', 4);
    await setImmediate();
    expect(memory.writes).toEqual([4]);
  });

  it.each<[what: string, remembered: RememberedTopic | undefined, expected: number]>([
    ['nothing', undefined, 0],
    ['the same topic', { topic: 'webhooks', id: 'id', keys: 4 }, 0],
    ['a topic that was created again since', { topic: 'webhooks', id: 'before', keys: 4 }, 4],
    ['a topic of another name', { topic: 'others', id: 'before', keys: 4 }, 0],
  ])('is expected of a start only if it was created again: %s', async (_what, remembered, expected) => {
    const memory = new StubMemory();
    memory.remembered = remembered;
    expect(await remember(memory).keys.expectedKeys('id')).toBe(expected);
    expect(await remember(memory).keys.expectedKeys(undefined)).toBe(0);
  });

  it.each(['GROUP_AUTHORIZATION_FAILED', 'TOPIC_AUTHORIZATION_FAILED', 'UNKNOWN_TOPIC_OR_PARTITION'])(
    'is nothing after %s, which is reported',
    async (type) => {
      const memory = new StubMemory();
      const { keys, failures } = remember(memory);
      memory.fault = kafkaError(type);
      expect(await keys.expectedKeys('id')).toBe(0);
      expect(failures).toEqual([`Error: ${type}`]);
    },
  );

  it('is asked for again after other failures', async () => {
    const memory = new StubMemory();
    const { keys } = remember(memory);
    memory.fault = kafkaError('NOT_COORDINATOR_FOR_GROUP');
    await expect(keys.expectedKeys('id')).rejects.toThrow('NOT_COORDINATOR_FOR_GROUP');
  });
});

describe('a process that starts after its topic was deleted and created again', () => {
  it('is not complete until half of the keys are there again, and remembers the topic from then on', async () => {
    const memory = new StubMemory();
    memory.remembered = { topic: 'webhooks', id: 'before', keys: 4 };
    const log = new ScriptedLog();
    log.topicId = 'another';
    log.write(0, 'a=1');
    await using following = followLog(log, memory);
    await following.clock.advance(1_000);
    expect(following.events).toEqual(['restarted', 'held: 1 of 4']);
    expect(following.follower.hasReached(new Map([[0, 1]]))).toBe(false);
    expect(memory.writes).toEqual([]);
    log.write(0, 'b=1', 'c=1', 'd=1');
    await following.clock.advance(1_000);
    expect(following.events).toEqual(['restarted', 'held: 1 of 4', 'replaced: 4 of 4']);
    expect(memory.remembered).toEqual({ topic: 'webhooks', id: 'another', keys: 4 });
  });

  it('is not complete either if it could not read the topic before that', async () => {
    const memory = new StubMemory();
    memory.remembered = { topic: 'webhooks', id: 'before', keys: 4 };
    const log = new ScriptedLog();
    log.topicId = 'before';
    log.write(0, 'a=1', 'b=1', 'c=1', 'd=1');
    log.fetchFault = kafkaError('LEADER_NOT_AVAILABLE');
    await using following = followLog(log, memory);
    await following.clock.advance(1_000);
    log.topicId = 'another';
    log.partitions = [[]];
    log.fetchFault = undefined;
    log.change();
    await following.clock.advance(10_000);
    expect(following.events.at(-1)).toBe('held: 0 of 4');
    expect(following.follower.hasReached(new Map([[0, 0]]))).toBe(false);
  });
});
