import { describe, expect, it } from 'vitest';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import { PublisherClosedError, PartitionWriter } from '../../../src/kafka/producer/partition-writer.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const lingerMs = 10;

/** A partition that collects the batches sent to it. The test chooses the answer to each. */
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
  it('lets the first record wait for others, and writes in the order of the calls', async () => {
    const { writer, clock, batches } = new Partition();
    const written = Promise.all(['a', 'b', 'c'].map((value) => writer.write(record(value))));
    await clock.advance(lingerMs - 1);
    expect(batches).toEqual([]);
    await clock.advance(1);
    expect(await written).toEqual(['written', 'written', 'written']);
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('shows since when a send that never ends has been tried, and that it is active while others fail', async () => {
    const { writer, clock } = new Partition(([value]) =>
      value === 'a' ? Promise.reject(refusal('NOT_LEADER_FOR_PARTITION')) : new Promise(() => undefined),
    );
    await clock.advance(60_000);
    expect(writer.lastActivityAt()).toBe(clock.monotonic());
    let isWanted = true;
    void writer.write(record('a'), () => isWanted);
    await clock.advance(60_000);
    expect(clock.monotonic() - writer.lastActivityAt()).toBeLessThan(20_000);
    isWanted = false;
    writer.dropUnwanted();
    await clock.advance(60_000);
    void writer.write(record('b'));
    await clock.advance(lingerMs);
    const sentAt = clock.monotonic();
    await clock.advance(600_000);
    expect(writer.lastActivityAt()).toBe(sentAt);
  });

  it('drops queued records that are not wanted any more, while a batch before them fails', async () => {
    const failing = Promise.withResolvers<void>();
    const { writer, clock, batches } = new Partition(([value]) => (value === 'a' ? failing.promise : undefined));
    const first = writer.write(record('a'));
    await clock.advance(lingerMs);
    let isWanted = true;
    const queued = [writer.write(record('b'), () => isWanted), writer.write(record('c'))];
    writer.dropUnwanted();
    isWanted = false;
    writer.dropUnwanted();
    expect(await queued[0]).toBe('abandoned');
    failing.resolve();
    await clock.advance(lingerMs);
    expect([await first, await queued[1]]).toEqual(['written', 'written']);
    expect(batches).toEqual([['a'], ['c']]);
  });

  it('has one batch in flight at a time, and sends later records as the next one', async () => {
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

  it('sends a batch as soon as it is full, and lets the remaining records wait for others', async () => {
    const { writer, clock, batches } = new Partition();
    const written = [...Array(125).keys()].map(async (number) => writer.write(record(String(number))));
    await Promise.all(written.slice(0, 100));
    expect(batches.map(({ length }) => length)).toEqual([50, 50]);
    await clock.advance(lingerMs - 1);
    expect(batches).toHaveLength(2);
    await clock.advance(1);
    await Promise.all(written);
    expect(batches.flat()).toEqual([...Array(125).keys()].map(String));
  });

  it('measures the wait from the call, not from the end of the batch before', async () => {
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

  it('finds the one record in a batch that is too large', async () => {
    const { writer, clock, batches } = new Partition((values) =>
      values.includes('large') ? Promise.reject(refusal('MESSAGE_TOO_LARGE')) : undefined,
    );
    const written = ['a', 'b', 'large', 'c', 'd'].map((value) => writer.write(record(value)));
    await clock.advance(lingerMs);
    expect(await Promise.all(written)).toEqual(['written', 'written', 'too_large', 'written', 'written']);
    expect(batches.filter((values) => !values.includes('large')).flat()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('treats a record list that is too large in the same way, and reports no failure', async () => {
    const { writer, clock, failures } = new Partition(() => Promise.reject(refusal('RECORD_LIST_TOO_LARGE')));
    const written = writer.write(record('a'));
    await clock.advance(lingerMs);
    expect(await written).toBe('too_large');
    expect(failures).toEqual([]);
  });

  it('keeps trying when a record is refused for another reason than its size', async () => {
    const { writer, clock, failures, closing } = new Partition(() => Promise.reject(refusal('INVALID_RECORD')));
    const write = writer.write(record('a'));
    await clock.advance(60_000);
    expect(failures.length).toBeGreaterThan(8);
    closing.abort();
    await expect(write).rejects.toThrow(PublisherClosedError);
  });

  it('does not send a record again that is no longer wanted', async () => {
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

  it('does not wait for a record whose check is pending, and sends it once it is wanted', async () => {
    const checks = ['a', 'b'].map(() => Promise.withResolvers<boolean>());
    const { writer, clock, batches } = new Partition();
    const unconfirmed = checks.map(({ promise }, index) => {
      let answer: boolean | Promise<boolean> = promise.then((wanted) => (answer = wanted));
      return writer.write(record(`unconfirmed ${index}`), () => answer);
    });
    const confirmed = writer.write(record('confirmed'));
    await clock.advance(lingerMs);
    expect(await confirmed).toBe('written');
    [true, false].forEach((wanted, index) => checks[index]?.resolve(wanted));
    await clock.advance(lingerMs);
    expect(await Promise.all(unconfirmed)).toEqual(['written', 'abandoned']);
    expect(batches).toEqual([['confirmed'], ['unconfirmed 0']]);
  });

  it('rejects queued, in-flight and later records once it is closed', async () => {
    const answer = Promise.withResolvers<void>();
    const { writer, clock, closing, batches } = new Partition(() => answer.promise);
    const writes = [writer.write(record('in flight'))];
    await clock.advance(lingerMs);
    writes.push(writer.write(record('queued')));
    closing.abort();
    writes.push(writer.write(record('later')));
    for (const result of await Promise.allSettled(writes)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(PublisherClosedError) });
    }
    answer.resolve();
    await writer.idle();
    expect(batches).toEqual([['in flight']]);
    expect(clock.pending).toBe(0);
  });
});
