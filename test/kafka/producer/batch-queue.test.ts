import { describe, expect, it } from 'vitest';
import { BatchQueue, type OutgoingRecord } from '../../../src/kafka/producer/batch.ts';

interface Item {
  readonly record: OutgoingRecord;
}

function item(valueBytes = 1): Item {
  return { record: { key: null, value: Buffer.alloc(valueBytes), headers: [] } };
}

function queueOf(items: readonly Item[]): BatchQueue<Item> {
  const queue = new BatchQueue<Item>();
  items.forEach((one, index) => queue.push(one, index));
  return queue;
}

describe('BatchQueue', () => {
  it('returns the records in their order, and the time since which the first one waits', () => {
    const items = Array.from({ length: 75 }, () => item());
    const queue = queueOf(items);
    expect(queue.oldestQueuedAt).toBe(0);
    expect(queue.shift()).toEqual(items.slice(0, 50));
    expect(queue.oldestQueuedAt).toBe(50);
    expect(queue.isFull).toBe(false);
    expect(queue.shift()).toEqual(items.slice(50));
    expect(queue.oldestQueuedAt).toBeUndefined();
    expect(queue.shift()).toEqual([]);
  });

  it('does not count the bytes of records that it has returned', () => {
    const queue = queueOf([item(600 * 1024), item(300 * 1024)]);
    queue.shift();
    expect(queue.isFull).toBe(false);
    queue.push(item(300 * 1024), 0);
    expect(queue.isFull).toBe(true);
    queue.clear();
    expect(queue.isFull).toBe(false);
    expect(queue.oldestQueuedAt).toBeUndefined();
  });
});
