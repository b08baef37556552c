import { batchLength, isFullBatch, recordBytes, type OutgoingRecord } from './batch.ts';

interface Queued<Item> {
  readonly item: Item;
  readonly since: number;
}

/** Records that wait to be written, and leave in their order, a batch at a time. */
export class BatchQueue<Item extends { readonly record: OutgoingRecord }> {
  #queued: Queued<Item>[] = [];
  #bytes = 0;

  /** Since when the first of them has been waiting. */
  get since(): number | undefined {
    return this.#queued[0]?.since;
  }

  /** Whether a batch has no place for more. */
  get isFull(): boolean {
    return isFullBatch(this.#queued.length, this.#bytes);
  }

  push(item: Item, now: number): void {
    this.#queued.push({ item, since: now });
    this.#bytes += recordBytes(item.record);
  }

  /** The next batch. */
  shift(): readonly Item[] {
    const length = batchLength(this.#queued.map(({ item }) => item.record));
    const batch = this.#queued.splice(0, length).map(({ item }) => item);
    for (const { record } of batch) this.#bytes -= recordBytes(record);
    return batch;
  }

  clear(): void {
    this.#queued = [];
    this.#bytes = 0;
  }
}
