import { describe, expect, it } from 'vitest';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import { PublisherClosedError, PartitionWriter } from '../../../src/kafka/producer/partition-writer.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const lingerMs = 10;

/** A partition whose answers a test gives: one batch after the other, as it was sent. */
class Partition {
  readonly clock = new ManualClock();
  readonly closing = new AbortController();
  readonly failures: number[] = [];
  /** The values of each batch. */
  readonly batches: string[][] = [];
  readonly writer: PartitionWriter;

  constructor(answer: (values: readonly string[]) => Promise<void> | undefined = () => undefined) {
    this.writer = new PartitionWriter({
      send: async (records) => {
        const values = records.map(({ value }) => value?.toString() ?? '');
        this.batches.push(values);
        await answer(values);
      },
      failed: (_, retryInMs) => this.failures.push(retryInMs),
      clock: this.clock,
      random: () => 0.5,
      lingerMs,
      signal: this.closing.signal,
    });
  }
}

function record(value: string): OutgoingRecord {
  return { key: null, value: Buffer.from(value), headers: [] };
}

function refusal(type: string): Error {
  return new Error('refused', { cause: Object.assign(new Error(type), { type }) });
}

describe('a partition writer', () => {
  it('lets the first record wait for company, and writes in the order of the calls', async () => {
    const { writer, clock, batches } = new Partition();
    const written = Promise.all(['a', 'b', 'c'].map((value) => writer.write(record(value))));
    await clock.advance(lingerMs - 1);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(await written).toEqual(['written', 'written', 'written']);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('has one batch on its way at a time, and sends what came meanwhile as the next', async () => {
    const first = Promise.withResolvers<void>();
    const { writer, clock, batches } = new Partition(([value]) => (value === 'a' ? first.promise : undefined));
    const one = writer.write(record('a'));
    await clock.advance(lingerMs);
    const others = Promise.all([writer.write(record('b')), writer.write(record('c'))]);
    await clock.advance(1000);
    expect(batches).toEqual([['a']]);
    first.resolve();
    await Promise.all([one, others]);
    expect(batches).toEqual([['a'], ['b', 'c']]);
  });

  it('sends a batch as soon as it is full, and lets what is left of it wait for company', async () => {
    const { writer, clock, batches } = new Partition();
    const written = [...Array(250).keys()].map(async (number) => writer.write(record(String(number))));
    await Promise.all(written.slice(0, 200));
    expect(batches.map(({ length }) => length)).toEqual([100, 100]);
    await clock.advance(lingerMs - 1);
    expect(batches).toHaveLength(2);
    await clock.advance(1);
    await Promise.all(written);
    expect(batches.flat()).toEqual([...Array(250).keys()].map(String));
  });

  it('counts the wait from when a record came, not from when the batch before it was written', async () => {
    const first = Promise.withResolvers<void>();
    const { writer, clock, batches } = new Partition(([value]) => (value === 'a' ? first.promise : undefined));
    const one = writer.write(record('a'));
    await clock.advance(lingerMs);
    const other = writer.write(record('b'));
    await clock.advance(lingerMs / 2);
    first.resolve();
    await one;
    await clock.advance(lingerMs / 2 - 1);
    expect(batches).toEqual([['a']]);
    await clock.advance(1);
    await other;
    expect(batches).toEqual([['a'], ['b']]);
  });

  it('resolves only with the acknowledgement, however often the batch has to be sent again', async () => {
    const waitsMs = [188, 375, 750, 1500, 3000, 6000, 7500, 7500];
    const { writer, clock, failures, batches } = new Partition(() =>
      batches.length <= waitsMs.length ? Promise.reject(refusal('NOT_ENOUGH_REPLICAS')) : undefined,
    );
    const settled: string[] = [];
    const write = writer.write(record('a')).then((written) => settled.push(written));
    await clock.advance(lingerMs + waitsMs.reduce((sum, ms) => sum + ms, 0) - 1);
    expect(settled).toEqual([]);
    await clock.advance(1);
    await write;
    expect(settled).toEqual(['written']);
    expect(failures).toEqual(waitsMs);
  });

  it('finds the one record that is too large among those that are not', async () => {
    const { writer, clock, batches } = new Partition((values) =>
      values.includes('large') ? Promise.reject(refusal('MESSAGE_TOO_LARGE')) : undefined,
    );
    const written = ['a', 'b', 'large', 'c', 'd'].map((value) => writer.write(record(value)));
    await clock.advance(lingerMs);
    expect(await Promise.all(written)).toEqual(['written', 'written', 'too_large', 'written', 'written']);
    expect(batches.filter((values) => !values.includes('large')).flat()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes a record list that is too large in the same way, and tells no failure', async () => {
    const { writer, clock, failures } = new Partition(() => Promise.reject(refusal('RECORD_LIST_TOO_LARGE')));
    const written = writer.write(record('a'));
    await clock.advance(lingerMs);
    expect(await written).toBe('too_large');
    expect(failures).toEqual([]);
  });

  it('goes on trying when a record is refused for anything but its size', async () => {
    const { writer, clock, failures, closing } = new Partition(() => Promise.reject(refusal('INVALID_RECORD')));
    const write = writer.write(record('a'));
    await clock.advance(60_000);
    expect(failures.length).toBeGreaterThan(8);
    closing.abort();
    await expect(write).rejects.toThrow(PublisherClosedError);
  });

  it('does not send again what is no longer wanted', async () => {
    const { writer, clock, batches } = new Partition(() =>
      batches.length < 3 ? Promise.reject(refusal('NOT_ENOUGH_REPLICAS')) : undefined,
    );
    const written = Promise.all([
      writer.write(record('a'), () => batches.length < 2),
      writer.write(record('b')),
      writer.write(record('c'), () => false),
    ]);
    await clock.advance(60_000);
    expect(await written).toEqual(['abandoned', 'written', 'abandoned']);
    expect(batches).toEqual([['a', 'b'], ['a', 'b'], ['b']]);
  });

  it('does not wait for what may be wanted, and sends it once it is', async () => {
    const words = ['a', 'b'].map(() => Promise.withResolvers<boolean>());
    const { writer, clock, batches } = new Partition();
    const doubtful = words.map(({ promise }, index) => {
      let word: boolean | Promise<boolean> = promise.then((wanted) => (word = wanted));
      return writer.write(record(`doubtful ${index}`), () => word);
    });
    const sure = writer.write(record('sure'));
    await clock.advance(lingerMs);
    expect(await sure).toBe('written');
    [true, false].forEach((wanted, index) => words[index]?.resolve(wanted));
    await clock.advance(lingerMs);
    expect(await Promise.all(doubtful)).toEqual(['written', 'abandoned']);
    expect(batches).toEqual([['sure'], ['doubtful 0']]);
  });

  it('waits for no company any more once it is closed', async () => {
    const { writer, clock, closing, batches } = new Partition();
    const write = writer.write(record('a'));
    closing.abort();
    await expect(write).rejects.toThrow(PublisherClosedError);
    await writer.idle();
    expect(batches).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('rejects what waits, what is on its way and what comes later once it is closed', async () => {
    const answer = Promise.withResolvers<void>();
    const { writer, clock, closing, batches } = new Partition(() => answer.promise);
    const writes = [writer.write(record('on its way'))];
    await clock.advance(lingerMs);
    writes.push(writer.write(record('waits')));
    closing.abort();
    writes.push(writer.write(record('too late')));
    for (const result of await Promise.allSettled(writes)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(PublisherClosedError) });
    }
    answer.resolve();
    await writer.idle();
    expect(batches).toEqual([['on its way']]);
    expect(clock.pending).toBe(0);
  });
});
