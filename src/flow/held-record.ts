import type { DeliveryCursor, WindowCounts } from './window.ts';

/** The counts of one partition. Its records and its window change them. */
export interface PartitionCounts extends WindowCounts {
  /** Starts the deliveries of a planned record, each as soon as it may. */
  readonly start: (deliveries: DeliveryCursor) => void;
  records: number;
  bytes: number;
  /** The time for which the record admitted last is held before its deliveries start. */
  newestHoldMs: number;
}

/** An admitted record, as flow control counts it. */
export class HeldRecord {
  readonly #counts: PartitionCounts;
  readonly #bytes: number;

  constructor(counts: PartitionCounts, bytes: number) {
    this.#counts = counts;
    this.#bytes = bytes;
    counts.records += 1;
    counts.bytes += bytes;
    counts.newestHoldMs = 0;
    counts.amounts.add({ records: 1, bytes });
  }

  /** Notes that the record is held for this time before its deliveries start. */
  noteHold(ms: number): void {
    this.#counts.newestHoldMs = ms;
  }

  /** Starts the deliveries, each as soon as it may. Called at most once, when the record is planned. */
  start(deliveries: DeliveryCursor): void {
    this.#counts.start(deliveries);
  }

  /** Must be called once, when the record is settled or abandoned. */
  release(): void {
    const counts = this.#counts;
    counts.records -= 1;
    counts.bytes -= this.#bytes;
    counts.amounts.add({ records: -1, bytes: -this.#bytes });
    counts.released();
  }
}
