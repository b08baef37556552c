import fc from 'fast-check';
import { expect, it } from 'vitest';
import { headerLimits, recordCost } from '../../src/certificates/record.ts';
import { decodeBatch, scopeOf } from '../../src/kafka/kafkajs/fetch/record-batches.ts';
import { loadInternals } from '../../src/kafka/kafkajs/load.ts';
import { toSourceRecord } from '../../src/kafka/records/fetched-records.ts';
import { encodeBatch } from '../kafka/support/encode-batch.ts';
import { settledMemoryBytes } from '../support/resources/memory.ts';

/** Cost of the records of each run. Less would be lost among what else changes in the heap. */
const costPerRun = 8 * 1024 * 1024;
const kafkajs = loadInternals();
const bytes = (maxLength: number) => fc.nat({ max: maxLength }).map((length) => Buffer.alloc(length, 'a'));

it('records of any shape take no more memory than they are counted with, and a quarter', async () => {
  const shape = fc.record({
    key: fc.option(bytes(100)),
    value: fc.option(bytes(2000)),
    headers: fc.integer({ min: 0, max: 1000 }).chain((count) =>
      fc.record({
        count: fc.oneof(fc.constant(0), fc.constant(count)),
        name: fc.string({ maxLength: 20 }),
        value: bytes(40),
      }),
    ),
    isOneName: fc.boolean(),
  });
  const run = async ({
    key,
    value,
    headers,
    isOneName,
  }: typeof shape extends fc.Arbitrary<infer Shape> ? Shape : never) => {
    const names = Array.from({ length: headers.count }, (_, index) =>
      isOneName ? headers.name : `${headers.name}${index}`,
    );
    const pairs =
      isOneName && names.length > 0
        ? { [headers.name]: names.map(() => headers.value) }
        : Object.fromEntries(names.map((name) => [name, headers.value]));
    const count = Math.ceil(
      costPerRun / recordCost({ key, value, headers: names.map((name) => [name, headers.value]) }),
    );
    const batch = await encodeBatch(
      Array.from({ length: count }, (_, offsetDelta) => ({ offsetDelta, key, value, headers: pairs })),
    );
    const before = await settledMemoryBytes();
    const scope = scopeOf(headerLimits, Number.POSITIVE_INFINITY);
    const decoded = (await decodeBatch(kafkajs, new kafkajs.Decoder(batch), scope))?.records ?? [];
    const copies = decoded.map((record) => toSourceRecord('topic', 0, record));
    const taken = (await settledMemoryBytes()) - before;
    const counted = copies.reduce((sum, record) => sum + recordCost(record), 0);
    expect(decoded).toHaveLength(count);
    expect(taken).toBeLessThan(1.25 * counted);
  };
  await fc.assert(fc.asyncProperty(shape, run), { numRuns: 30 });
});
