import type { FlowLimits } from './limits.ts';

/** Amounts that one consumer group or one partition holds. */
export interface Amounts {
  /** Unsettled records. */
  readonly records: number;
  /** Unsettled records with deliveries that are not started. */
  readonly pending: number;
  /** Started and unsettled deliveries. */
  readonly deliveries: number;
  /** Bytes of the unsettled records. */
  readonly bytes: number;
}

/** The amounts that all partitions of one group hold together, and the share of each partition. */
export class HeldAmounts {
  readonly #limits: FlowLimits;
  readonly #held = { records: 0, pending: 0, deliveries: 0, bytes: 0 };
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

  /** The window of one partition. With equal shares it is a part of the limit, and at least one delivery. */
  get window(): number {
    const { window, sharedEqually } = this.#limits;
    return sharedEqually ? Math.max(1, Math.floor(window / this.#partitions)) : window;
  }

  add({ records = 0, pending = 0, deliveries = 0, bytes = 0 }: Partial<Amounts>): void {
    this.#held.records += records;
    this.#held.pending += pending;
    this.#held.deliveries += deliveries;
    this.#held.bytes += bytes;
  }

  /**
   * Returns whether a partition that holds `own` has used up its share.
   *
   * A share is as much as is left for all: a half for a lone partition, and a third for each of two. Some is then always left
   * for one more. With equal shares it is an equal part of half the limit, and at least two records. A partition whose records
   * are not held for long may also hold as much as is left of the other half.
   */
  isUsedUp(amount: keyof Amounts, own: number, holdMs = 0): boolean {
    const limit = this.#limits[limits[amount]];
    const left = limit - this.#held[amount];
    if (!this.#limits.sharedEqually) return left <= 0 || own >= left;
    const equal = limit / 2 / this.#partitions;
    const other = holdMs <= this.#limits.shortHoldMs ? left - limit / 2 : 0;
    return own > 0 && (left <= 0 || own >= Math.max(fewest, equal, other));
  }
}

/** The fewest records of an equal share. One that waits for its webhook's own pace is then not all that a partition reads. */
const fewest = 2;

const limits = {
  records: 'maxRecords',
  pending: 'maxPending',
  deliveries: 'maxDeliveries',
  bytes: 'maxBytes',
} as const satisfies Readonly<Record<keyof Amounts, keyof FlowLimits>>;
