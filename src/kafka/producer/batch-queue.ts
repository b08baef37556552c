import { batchLength, isFullBatch, maxBatchRecords, recordBytes, type OutgoingRecord } from './batch.ts';

interface Queued<Item> {
  readonly item: Item;
  readonly queuedAt: number;
  readonly bytes: number;
}

/** A first-in, first-out queue of records to be written, which hands them out a batch at a time. */
export class BatchQueue<Item extends { readonly record: OutgoingRecord }> {
  #queued: Queued<Item>[] = [];
  #bytes = 0;

  /** The monotonic time since which the oldest record waits. Undefined when the queue is empty. */
  get oldestQueuedAt(): number | undefined {
    return this.#queued[0]?.queuedAt;
  }

  /** True once there is enough for a full batch. */
  get isFull(): boolean {
    return isFullBatch(this.#queued.length, this.#bytes);
  }

  push(item: Item, now: number): void {
    const bytes = recordBytes(item.record);
    this.#queued.push({ item, queuedAt: now, bytes });
    this.#bytes += bytes;
  }

  /** Removes and returns the next batch. */
  shift(): readonly Item[] {
    // Looks at one batch only. After an outage of the brokers, thousands of records may be queued.
    const first = this.#queued.slice(0, maxBatchRecords);
    const batch = this.#queued.splice(0, batchLength(first.map(({ item }) => item.record)));
    for (const { bytes } of batch) this.#bytes -= bytes;
    return batch.map(({ item }) => item);
  }

  /** Removes and returns the items for which it returns true. */
  remove(isRemoved: (item: Item) => boolean): readonly Item[] {
    const removed = new Set(this.#queued.filter(({ item }) => isRemoved(item)));
    if (removed.size === 0) return [];
    this.#queued = this.#queued.filter((queued) => !removed.has(queued));
    for (const { bytes } of removed) this.#bytes -= bytes;
    return [...removed].map(({ item }) => item);
  }

  clear(): void {
    this.#queued = [];
    this.#bytes = 0;
  }
}
