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

/** `held` until its deliveries are known, `planned` until all have ended. It occupies a record and its bytes until then. */
type RecordState = 'held' | 'planned' | 'ended';

/**
 * One record from its admission to its end, as flow control sees it. Its subclass in the consumer settles it.
 *
 * Its deliveries wait in a cursor of the partition's window. Each delivery that starts is a `DeliveryRun`.
 */
export class RecordRun {
  readonly #counts: PartitionCounts;
  readonly #bytes: number;
  #state: RecordState = 'held';

  constructor({ counts }: { readonly counts: PartitionCounts }, bytes: number) {
    this.#counts = counts;
    this.#bytes = bytes;
    counts.newestHoldMs = 0;
    this.#count(1);
  }

  /** Notes that the record is held for this time before its deliveries start. */
  noteHold(ms: number): void {
    this.#counts.newestHoldMs = ms;
  }

  /** Starts the deliveries, each as soon as it may. */
  start(deliveries: DeliveryCursor): void {
    if (this.#state !== 'held') throw new Error(`the deliveries of a record start that is ${this.#state}`);
    this.#state = 'planned';
    this.#counts.start(deliveries);
  }

  /** Must be called once, when the record is settled or abandoned. */
  release(): void {
    if (this.#state === 'ended') throw new Error('a record ends that has ended');
    this.#state = 'ended';
    this.#count(-1);
    this.#counts.released();
  }

  #count(change: 1 | -1): void {
    const counts = this.#counts;
    const bytes = change * this.#bytes;
    counts.records += change;
    counts.bytes += bytes;
    counts.amounts.add({ records: change, bytes });
  }
}
