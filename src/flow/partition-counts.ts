import type { DeliveryCursor, DeliveryProgress } from './delivery-cursor.ts';
import type { HeldAmounts } from './held-amounts.ts';
import type { FairWindow, OwnerQueue } from './window.ts';

/** The counts of one partition. Only the classes below change them. */
export interface PartitionCounts {
  /** Amounts of all partitions. */
  readonly amounts: HeldAmounts;
  readonly window: FairWindow;
  /** True for retries: idle ones leave the window. Of first attempts, all that wait leave it. */
  readonly sharedEqually: boolean;
  /** Called after each change that lets the partition, or others, read or start more. */
  readonly released: () => void;
  /** Starts the deliveries of a planned record, each as soon as it may. */
  readonly start: (deliveries: DeliveryCursor) => void;
  records: number;
  bytes: number;
  /** Started and unsettled deliveries. */
  deliveries: number;
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

/** A started delivery. Counts as active until it waits for a suspect endpoint or for Kafka. */
export class StartedDelivery implements DeliveryProgress {
  readonly #counts: PartitionCounts;
  readonly #queue: OwnerQueue;
  #isActive = true;
  #isOutsideRoom = false;

  constructor(counts: PartitionCounts, queue: OwnerQueue) {
    this.#counts = counts;
    this.#queue = queue;
    counts.deliveries += 1;
    counts.amounts.add({ deliveries: 1 });
    counts.window.countActive(queue, 1);
  }

  markWaiting(): void {
    if (!this.#counts.sharedEqually) this.#leaveWindow();
  }

  markIdle(): void {
    if (this.#counts.sharedEqually) this.#leaveWindow();
  }

  markOutsideRoom(isOutside: boolean): void {
    if (isOutside === this.#isOutsideRoom) return;
    this.#isOutsideRoom = isOutside;
    this.#counts.window.countOutsideRoom(this.#queue, isOutside ? 1 : -1);
    if (!isOutside) this.#counts.released();
  }

  end(): void {
    const counts = this.#counts;
    if (this.#isActive) counts.window.countActive(this.#queue, -1);
    if (this.#isOutsideRoom) counts.window.countOutsideRoom(this.#queue, -1);
    this.#isActive = false;
    this.#isOutsideRoom = false;
    counts.deliveries -= 1;
    counts.amounts.add({ deliveries: -1 });
    counts.released();
  }

  #leaveWindow(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#counts.window.countActive(this.#queue, -1);
    this.#counts.released();
  }
}
