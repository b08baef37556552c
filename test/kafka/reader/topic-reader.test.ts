import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FetchedPartition, TopicLog } from '../../../src/kafka/client/topic-log.ts';
import { TopicReader } from '../../../src/kafka/reader/topic-reader.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

/** A topic of one partition whose leader moves. The test answers its fetches. */
class MovingLog implements TopicLog {
  leader = 1;
  readonly fetches: {
    readonly leader: number;
    readonly from: number;
    readonly answer: (keys: string[]) => void;
    readonly fail: (error: Error) => void;
  }[] = [];

  id = (): undefined => undefined;
  clusterId = (): undefined => undefined;
  leaders = () => new Map([[0, this.leader]]);
  refresh = () => Promise.resolve();
  starts = () => Promise.resolve(new Map([[0, 0]]));
  ends = () => Promise.resolve(new Map([[0, 0]]));

  fetch(leader: number, positions: ReadonlyMap<number, number>): Promise<readonly FetchedPartition[]> {
    const from = positions.get(0) ?? 0;
    const { promise, resolve, reject } = Promise.withResolvers<readonly FetchedPartition[]>();
    const answer = (keys: string[]): void => {
      const records = keys.map((key) => ({ key: Buffer.from(key), value: null, timestamp: '0' }));
      const next = from + keys.length;
      resolve([{ partition: 0, from, next, end: next, stableEnd: next, records }]);
    };
    this.fetches.push({ leader, from, answer, fail: reject });
    return promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

async function startReader(
  log: TopicLog,
  prepare: (keys: readonly string[]) => Promise<void> | undefined = () => undefined,
) {
  const applied: string[] = [];
  const faults: unknown[] = [];
  const reader = new TopicReader({
    log,
    starts: await log.starts([0]),
    prepare: (records) => prepare(records.map(({ key }) => String(key))),
    apply: ({ key }) => applied.push(String(key)),
    progressed: () => undefined,
    fetchWaitMs: () => 1000,
    faulted: (error) => faults.push(error),
    clock: new ManualClock(),
  });
  reader.follow();
  return { reader, applied, faults };
}

describe('reading a partition whose leader moves', () => {
  it('takes no record twice, nor out of order, when both leaders answer', async () => {
    const log = new MovingLog();
    const { reader, applied } = await startReader(log);
    log.leader = 2;
    reader.follow();
    const [former, current] = log.fetches;
    expect([former?.leader, current?.leader]).toEqual([1, 2]);
    current?.answer(['a', 'b', 'c']);
    await setImmediate();
    former?.answer(['a', 'b']);
    await setImmediate();
    expect(applied).toEqual(['a', 'b', 'c']);
    expect(reader.positions.all()).toEqual(new Map([[0, 3]]));
    expect(log.fetches.map(({ leader, from }) => [leader, from])).toEqual([
      [1, 0],
      [2, 0],
      [2, 3],
    ]);
    reader.stop();
    log.fetches.at(-1)?.answer(['d']);
    await reader[Symbol.asyncDispose]();
    expect(applied).toEqual(['a', 'b', 'c']);
  });
});

describe('a reader whose broker holds a fetch', () => {
  it('ends at once when it is stopped, and reports no fault of that fetch later', async () => {
    const log = new MovingLog();
    const { reader, faults } = await startReader(log);
    await reader[Symbol.asyncDispose]();
    log.fetches[0]?.fail(new Error('the connection is closed'));
    await setImmediate();
    expect(faults).toEqual([]);
  });
});

describe('reading an answer that has to be prepared', () => {
  async function waitingAt(key: string) {
    const log = new MovingLog();
    const prepared = Promise.withResolvers<undefined>();
    const { reader, applied } = await startReader(log, (keys) => (keys.includes(key) ? prepared.promise : undefined));
    const finish = async (): Promise<void> => {
      prepared.resolve(undefined);
      await setImmediate();
    };
    log.fetches[0]?.answer(['a', 'b', 'c']);
    await setImmediate();
    return { log, reader, applied, finish };
  }

  it('ends at once when it is stopped', async () => {
    const { reader, applied, finish } = await waitingAt('b');
    await reader[Symbol.asyncDispose]();
    await finish();
    expect(applied).toEqual([]);
  });

  it('holds back the answer of another leader, and then skips records that were applied', async () => {
    const { log, reader, applied, finish } = await waitingAt('c');
    log.leader = 2;
    reader.follow();
    log.fetches[1]?.answer(['a', 'b']);
    await setImmediate();
    expect(applied).toEqual([]);
    await finish();
    expect(applied).toEqual(['a', 'b', 'c']);
    expect(reader.positions.all()).toEqual(new Map([[0, 3]]));
    reader.stop();
    for (const fetch of log.fetches) fetch.answer([]);
    await reader[Symbol.asyncDispose]();
  });
});

describe('a response with many records', () => {
  async function reader500() {
    const log = new MovingLog();
    const { reader, applied } = await startReader(log);
    log.fetches[0]?.answer(Array.from({ length: 500 }, (_, index) => `key-${index}`));
    await setImmediate();
    return { log, reader, applied };
  }

  it('is applied in several turns of the event loop, and advances the position at its end', async () => {
    const { log, reader, applied } = await reader500();
    expect(applied).toHaveLength(200);
    expect(reader.positions.all()).toEqual(new Map([[0, 0]]));
    await setImmediate();
    await setImmediate();
    expect(applied).toEqual(Array.from({ length: 500 }, (_, index) => `key-${index}`));
    expect(reader.positions.all()).toEqual(new Map([[0, 500]]));
    reader.stop();
    log.fetches.at(-1)?.answer([]);
    await reader[Symbol.asyncDispose]();
  });

  it('is not applied further after reading is stopped', async () => {
    const { reader, applied } = await reader500();
    await reader[Symbol.asyncDispose]();
    expect(applied).toHaveLength(200);
  });
});
