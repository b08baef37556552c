import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { expect, it } from 'vitest';
import { partitionOf } from '../../../src/kafka/producer/key-partition.ts';

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
      const chosen = choose({ topic: '', partitionMetadata, message: { key, value: null } });
      expect(partitionOf(key, partitions)).toBe(chosen);
    },
  );
  fc.assert(property);
});

const aPartition = { partitionErrorCode: 0, leader: 0, replicas: [], isr: [] };
