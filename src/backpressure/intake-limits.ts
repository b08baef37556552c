interface IntakeLimitsOptions {
  /** Unsettled records held at once, over all partitions. */
  readonly maxRecords: number;
  /** Bytes of their keys, values and headers. */
  readonly maxBytes: number;
  /** Offsets between a partition's commit and its newest record. */
  readonly maxSpan: number;
  /**
   * Gives each partition an equal share of the limits; otherwise a share follows what is left of them. Equal shares are
   * for records that wait for hours: one partition's would keep another's out.
   */
  readonly sharedEqually: boolean;
  /**
   * The work at hand, as a multiple of what keeps the process busy. From 1 on, the process is behind: more records
   * would only wait, and fill the waiting rooms of endpoints that are fast enough. Defaults to 0.
   */
  readonly timesEnough?: () => number;
  /** Records of one partition that may be admitted at a time in any case. Defaults to 32. */
  readonly fewRecords?: number;
  /** Requests that may be in flight at once. While the process is behind, all partitions may share this many records. */
  readonly maxAtOnce?: number;
}

/** The part of the limits that one record takes up until it is released. */
interface Reservation {
  readonly bytes: number;
  /** Number of the assignment in which the record was admitted. */
  readonly epoch: number;
}

/** The unsettled records of one partition. */
export interface PartitionUsage {
  readonly records: number;
  /** Records admitted, or active again after a wait, within the last second. Waiting ones do not count. */
  readonly recent: number;
  readonly bytes: number;
  readonly span: number;
}

/**
 * A paused partition resumes once its usage has fallen to this part of each limit. At 1 it would be paused and resumed
 * for every record.
 */
const resumeFraction = 0.75;

/**
 * Share of one partition, as a multiple of what is left for all. A lone partition gets three quarters of the limit.
 * However many partitions fill their shares, the next one still finds room.
 */
const remainingMultiple = 3;

/**
 * Records of one partition that are admitted at a time, also while the process is behind. Another partition's backlog
 * does not hold them up. The number is divided by `timesEnough`, because a record may be for many endpoints.
 */
const defaultFewRecords = 32;

/** Counts what one consumer holds, and decides when a partition is full: then nothing more of it is admitted. */
export class IntakeLimits {
  readonly #options: IntakeLimitsOptions;
  #records = 0;
  #bytes = 0;
  #partitions = 1;
  /** Number of assignments so far. */
  #epoch = 0;
  /** Records of earlier assignments that are still held. They count against no partition's equal share. */
  #earlierRecords = 0;
  #earlierBytes = 0;
  #fraction = 1;

  constructor(options: IntakeLimitsOptions) {
    this.#options = options;
  }

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get maxRecords(): number {
    return Math.ceil(this.#options.maxRecords * this.#fraction);
  }

  get maxBytes(): number {
    return Math.ceil(this.#options.maxBytes * this.#fraction);
  }

  /** Can become false without a release, so callers must poll. */
  get isBehind(): boolean {
    return this.#timesEnough >= 1;
  }

  /** Records of one partition that may be admitted before the load that they cause is measured. */
  get atATime(): number {
    const { fewRecords = defaultFewRecords, maxAtOnce = 0 } = this.#options;
    return Math.max(fewRecords, maxAtOnce / this.#partitions);
  }

  /** Lowers the limits to a fraction of the configured ones. Records already held stay. */
  shrinkTo(fraction: number): void {
    this.#fraction = fraction;
  }

  /** Starts an assignment whose partitions share the limits. */
  divideAmong(partitions: number): void {
    this.#partitions = Math.max(1, partitions);
    this.#epoch += 1;
    this.#earlierRecords = this.#records;
    this.#earlierBytes = this.#bytes;
  }

  /** Counts a record. Its reservation is to be passed to `release` once. */
  reserve(bytes: number): Reservation {
    this.#records += 1;
    this.#bytes += bytes;
    return { bytes, epoch: this.#epoch };
  }

  release({ bytes, epoch }: Reservation): void {
    this.#records -= 1;
    this.#bytes -= bytes;
    if (epoch === this.#epoch) return;
    this.#earlierRecords -= 1;
    this.#earlierBytes -= bytes;
  }

  isFull(partition: PartitionUsage): boolean {
    return this.#isAbove(1, partition);
  }

  /** True if a paused partition has enough room to resume. */
  hasEased(partition: PartitionUsage): boolean {
    return !this.#isAbove(resumeFraction, partition);
  }

  #isAbove(fraction: number, { records, recent, bytes, span }: PartitionUsage): boolean {
    const { maxSpan, sharedEqually } = this.#options;
    if (span >= maxSpan * fraction) return true;
    if (recent > 0 && recent >= this.#mostRecent * fraction) return true;
    const left = {
      records: this.maxRecords * fraction - this.#records,
      bytes: this.maxBytes * fraction - this.#bytes,
    };
    if (!sharedEqually && (left.records <= 0 || left.bytes <= 0)) return true;
    const share = sharedEqually ? this.#equalShare(fraction) : shareOf(left);
    // A share always allows one record, however large it is and however many partitions there are.
    return records > 0 && (records >= share.records || bytes >= share.bytes);
  }

  get #timesEnough(): number {
    return this.#options.timesEnough?.() ?? 0;
  }

  /** Recent records that a partition may have now. One is always allowed. */
  get #mostRecent(): number {
    const times = this.#timesEnough;
    if (times < 1) return Number.POSITIVE_INFINITY;
    return this.atATime / times;
  }

  #equalShare(fraction: number): Amount {
    const perPartition = fraction / this.#partitions;
    return {
      records: (this.maxRecords - this.#earlierRecords) * perPartition,
      bytes: (this.maxBytes - this.#earlierBytes) * perPartition,
    };
  }
}

interface Amount {
  readonly records: number;
  readonly bytes: number;
}

function shareOf(left: Amount): Amount {
  return { records: left.records * remainingMultiple, bytes: left.bytes * remainingMultiple };
}
