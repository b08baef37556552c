import type { DeliveryCursor, DeliveryProgress } from '../deliveries/delivery-cursor.ts';
import type { HeldAmounts } from './held-amounts.ts';

/** The counts of one partition. Only the classes below change them. */
export interface PartitionCounts {
  /** Amounts of all partitions. */
  readonly amounts: HeldAmounts;
  /** Called after each change that lets the partition, or others, read or start more. */
  readonly eased: () => void;
  /** Starts the deliveries of a planned record, each as soon as it may. */
  readonly start: (deliveries: DeliveryCursor) => void;
  records: number;
  bytes: number;
  /** Started and unsettled deliveries. */
  deliveries: number;
  /** Records being planned and started deliveries that do not wait. */
  active: number;
  /** Deliveries outside the full waiting room of a healthy endpoint. */
  outsideRooms: number;
}

/** An admitted record. Counts as one active delivery until it is planned. */
export class HeldRecord {
  readonly #counts: PartitionCounts;
  readonly #bytes: number;
  #isBeingPlanned = true;

  constructor(counts: PartitionCounts, bytes: number) {
    this.#counts = counts;
    this.#bytes = bytes;
    counts.records += 1;
    counts.bytes += bytes;
    counts.active += 1;
    counts.amounts.add({ records: 1, bytes });
  }

  /** Starts the deliveries, each as soon as it may. Called at most once, when the record is planned. */
  start(deliveries: DeliveryCursor): void {
    this.endPlanning();
    this.#counts.start(deliveries);
  }

  /** Notes that it does not count as active any more. May be called again. */
  endPlanning(): void {
    if (!this.#isBeingPlanned) return;
    this.#isBeingPlanned = false;
    this.#counts.active -= 1;
    this.#counts.eased();
  }

  /** Must be called once, when the record is settled or abandoned. */
  release(): void {
    const counts = this.#counts;
    this.endPlanning();
    counts.records -= 1;
    counts.bytes -= this.#bytes;
    counts.amounts.add({ records: -1, bytes: -this.#bytes });
    counts.eased();
  }
}

/** A started delivery. Counts as active until it waits for a suspect endpoint or for Kafka. */
export class StartedDelivery implements DeliveryProgress {
  readonly #counts: PartitionCounts;
  #isActive = true;
  #isOutsideRoom = false;

  constructor(counts: PartitionCounts) {
    this.#counts = counts;
    counts.deliveries += 1;
    counts.active += 1;
    counts.amounts.add({ deliveries: 1 });
  }

  markWaiting(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#counts.active -= 1;
    this.#counts.eased();
  }

  markOutsideRoom(isOutside: boolean): void {
    if (isOutside === this.#isOutsideRoom) return;
    this.#isOutsideRoom = isOutside;
    this.#counts.outsideRooms += isOutside ? 1 : -1;
    if (!isOutside) this.#counts.eased();
  }

  /** Must be called once, when the delivery is settled or abandoned. */
  end(): void {
    const counts = this.#counts;
    if (this.#isActive) counts.active -= 1;
    if (this.#isOutsideRoom) counts.outsideRooms -= 1;
    this.#isActive = false;
    this.#isOutsideRoom = false;
    counts.deliveries -= 1;
    counts.amounts.add({ deliveries: -1 });
    counts.eased();
  }
}
