import type { FlowLimits } from './limits.ts';

/** Amounts that one consumer group or one partition holds. */
export interface Amounts {
  /** Unsettled records. */
  readonly records: number;
  /** Started and unsettled deliveries. */
  readonly deliveries: number;
  /** Bytes of the unsettled records. */
  readonly bytes: number;
}

/** What all partitions of one group hold together, and the share of the limits that each partition may hold. */
export class HeldAmounts {
  readonly #limits: FlowLimits;
  readonly #held = { records: 0, deliveries: 0, bytes: 0 };
  #partitions = 1;

  constructor(limits: FlowLimits) {
    this.#limits = limits;
  }

  get held(): Amounts {
    return this.#held;
  }

  /** Sets the number of partitions that share the limits. */
  divideAmong(partitions: number): void {
    this.#partitions = Math.max(1, partitions);
  }

  add({ records = 0, deliveries = 0, bytes = 0 }: Partial<Amounts>): void {
    this.#held.records += records;
    this.#held.deliveries += deliveries;
    this.#held.bytes += bytes;
  }

  /**
   * Returns whether a partition that holds `own` has used up its share. That is an equal part, or as much as is left for
   * all: with one partition a half of the limit, with two a third each. Some is then always left for one more partition.
   * A partition that holds nothing gets at least one record of an equal share.
   */
  isUsedUp(amount: keyof Amounts, own: number): boolean {
    const limit = this.#limitOf(amount);
    const left = limit - this.#held[amount];
    if (!this.#limits.sharedEqually) return left <= 0 || own >= left;
    return own > 0 && (left <= 0 || own >= limit / this.#partitions);
  }

  #limitOf(amount: keyof Amounts): number {
    const { maxRecords, maxDeliveries, maxBytes } = this.#limits;
    switch (amount) {
      case 'records':
        return maxRecords;
      case 'deliveries':
        return maxDeliveries;
      case 'bytes':
        return maxBytes;
    }
  }
}
