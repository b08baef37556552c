import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { expect, it } from 'vitest';
import { partitionOf } from '../../../src/kafka/producer/key-partition.ts';

/** Keys with their murmur2 hashes, from the tests of Apache Kafka. */
it.each([
  ['21', -973_932_308],
  ['foobar', -790_332_482],
  ['a-little-bit-long-string', -985_981_536],
  ['a-little-bit-longer-string', -1_486_304_829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
  ['abc', 479_470_107],
])('a key goes to the partition that a Java producer chooses: %s', (key, hash) => {
  for (const partitions of [1, 3, 12])
    expect(partitionOf(Buffer.from(key), partitions)).toBe((hash & 0x7fffffff) % partitions);
});

it('a key goes to the partition that kafkajs chooses, whatever its bytes', () => {
  const choose = Partitioners.DefaultPartitioner();
  const property = fc.property(
    fc.uint8Array({ maxLength: 64 }),
    fc.integer({ min: 1, max: 50 }),
    (bytes, partitions) => {
      const key = Buffer.from(bytes);
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
        ...aPartition,
        partitionId,
      }));
      expect(partitionOf(key, partitions)).toBe(
        choose({ topic: '', partitionMetadata, message: { key, value: null } }),
      );
    },
  );
  fc.assert(property);
});

const aPartition = { partitionErrorCode: 0, leader: 0, replicas: [], isr: [] };
