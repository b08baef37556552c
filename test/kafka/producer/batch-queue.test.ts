import { describe, expect, it } from 'vitest';
import { BatchQueue } from '../../../src/kafka/producer/batch-queue.ts';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';

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

describe('a queue of batches', () => {
  it.each([
    ['99 records', Array.from({ length: 99 }, () => item()), false],
    ['100 records', Array.from({ length: 100 }, () => item()), true],
    ['a little less than half a mebibyte', [item(256 * 1024), item(256 * 1024 - 1)], false],
    ['half a mebibyte', [item(256 * 1024), item(256 * 1024)], true],
  ])('with %s: whether that is a full batch', (_, items, is) => {
    expect(queueOf(items).isFull).toBe(is);
  });

  it('gives the records in their order, and says since when the first one waits', () => {
    const items = Array.from({ length: 150 }, () => item());
    const queue = queueOf(items);
    expect(queue.oldestQueuedAt).toBe(0);
    expect(queue.shift()).toEqual(items.slice(0, 100));
    expect(queue.oldestQueuedAt).toBe(100);
    expect(queue.isFull).toBe(false);
    expect(queue.shift()).toEqual(items.slice(100));
    expect(queue.oldestQueuedAt).toBeUndefined();
    expect(queue.shift()).toEqual([]);
  });

  it('forgets the bytes of what has left', () => {
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
