import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeByAge } from '../../../src/cli/listing/print-merged.ts';
import { ageOf, compareAges, Newest } from '../../../src/cli/listing/selection.ts';
import { readDeadLetter, type DeadLetter } from '../../../src/kafka/records/dead-letter.ts';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import type { TopicScan } from '../../../src/kafka/reader/topic-scan.ts';
import { aRecord } from '../../support/builders.ts';

const day = Date.UTC(2026, 10, 1);

function record(minute: number, partition: number, offset: number) {
  const headers = { 'failed-at': new Date(day + minute * 60_000).toISOString() };
  return aRecord({ topic: 'dead', partition, offset, headers });
}

function letter(minute: number, partition: number, offset: number): DeadLetter {
  const found = readDeadLetter(record(minute, partition, offset));
  if (found.kind === 'marker') throw new Error('no letter');
  return found.letter;
}

it('finds the newest dead letters in any order', () => {
  const some = fc.array(fc.nat(20), { maxLength: 60 });
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 10 }), (minutes, limit) => {
      const letters = minutes.map((minute, offset) => letter(minute, offset % 3, offset));
      const newest = new Newest(limit);
      for (const one of letters) newest.offer(one);
      const oldest = newest.oldest();
      const selected = letters.filter((one) => oldest === undefined || compareAges(ageOf(one), oldest) >= 0);
      const expected = letters.toSorted((one, other) => compareAges(ageOf(one), ageOf(other))).slice(-limit);
      expect(new Set(selected)).toEqual(new Set(expected));
    }),
  );
});

it('sorts the lines of all partitions, even if they exceed the window', async () => {
  const count = 12_000;
  const minutes = [0, 1].map((partition) =>
    // Swaps neighbours.
    Array.from({ length: count }, (_, index) => 2 * (index ^ 1) + partition),
  );
  const scan: Pick<TopicScan, 'read'> = {
    async *read(partition) {
      const records = (minutes[partition] ?? []).map((minute, offset) => record(minute, partition, offset));
      await Promise.resolve();
      yield { records: records.slice(0, 10_000), offsets: 10_000 };
      yield { records: records.slice(10_000), offsets: count - 10_000 };
    },
  };
  let offsets = 0;
  const texts: number[] = [];
  const toLine = (one: SourceRecord) => {
    const read = readDeadLetter(one) as { readonly letter: DeadLetter };
    return { age: ageOf(read.letter), text: String((read.letter.at - day) / 60_000) };
  };
  const parts = [0, 1].map((partition) => ({ scan, partition }));
  for await (const text of mergeByAge(parts, toLine, (more) => (offsets += more))) texts.push(Number(text));
  expect(texts).toEqual(Array.from({ length: 2 * count }, (_, index) => index));
  expect(offsets).toBe(2 * count);
});
