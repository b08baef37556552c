export interface IntakeLimitsOptions {
  /** Unsettled records held, and the bytes of their keys, values and headers. */
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Offsets between a partition's commit and its newest record. */
  readonly maxSpan: number;
  /**
   * Whether each partition has an equal share of the whole, rather than one that follows what is left of it. Where
   * records wait for hours, one partition's would otherwise keep another's out.
   */
  readonly sharedEqually: boolean;
  /**
   * How many times as much is at hand as the process needs to be busy. From 1 on it is behind: what is read on top would
   * only wait, and fill the rooms of endpoints that are fast enough. 0 when left out.
   */
  readonly timesEnough?: () => number;
  /** So many of a partition may come at a time in any case; 32 when left out. */
  readonly fewRecords?: number;
  /** Requests that may be out at once: so many records are read on all the same, over all partitions. */
  readonly maxAtOnce?: number;
}

/** One record that is held. */
export interface Taken {
  readonly bytes: number;
  /** The assignment it was taken in. */
  readonly era: number;
}

/** What is held of one partition. */
export interface Held {
  readonly records: number;
  /** Of these, the ones that came, or went on, a moment ago, and wait for nobody else. */
  readonly recent: number;
  readonly bytes: number;
  readonly span: number;
}

/** Reading goes on when what is held has fallen to this part of a limit, so that it does not stop and go by the record. */
const easedAt = 0.75;

/**
 * How much of one partition may be held, in terms of what is left for all: a lone one gets three quarters of the whole,
 * and however many fill up, the next one finds room.
 */
const timesWhatIsLeft = 3;

/**
 * So many of a partition may come at a time also while the process is behind: nobody's few wait for another's many. The
 * further behind, the fewer: each of them may be for many endpoints.
 */
const defaultFewRecords = 32;

/** How much one consumer may hold. Full means: admit nothing more. */
export class IntakeLimits {
  readonly #options: IntakeLimitsOptions;
  #records = 0;
  #bytes = 0;
  #partitions = 1;
  /** Counts the assignments. */
  #era = 0;
  /** Of what is held, what was taken in earlier assignments: it is nobody's share. */
  #leftRecords = 0;
  #leftBytes = 0;
  #part = 1;

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
    return Math.ceil(this.#options.maxRecords * this.#part);
  }

  get maxBytes(): number {
    return Math.ceil(this.#options.maxBytes * this.#part);
  }

  /** It ends without anything being released, too. */
  get isBehind(): boolean {
    return this.#timesEnough >= 1;
  }

  /** So many of a partition may be taken in before it is seen what they come to. */
  get atATime(): number {
    const { fewRecords = defaultFewRecords, maxAtOnce = 0 } = this.#options;
    return Math.max(fewRecords, maxAtOnce / this.#partitions);
  }

  /** Only this part of the limits holds from now on. What is held already stays. */
  shrinkTo(part: number): void {
    this.#part = part;
  }

  /** A new assignment begins, and so many partitions share. */
  divideAmong(partitions: number): void {
    this.#partitions = Math.max(1, partitions);
    this.#era += 1;
    this.#leftRecords = this.#records;
    this.#leftBytes = this.#bytes;
  }

  take(bytes: number): Taken {
    this.#records += 1;
    this.#bytes += bytes;
    return { bytes, era: this.#era };
  }

  release({ bytes, era }: Taken): void {
    this.#records -= 1;
    this.#bytes -= bytes;
    if (era === this.#era) return;
    this.#leftRecords -= 1;
    this.#leftBytes -= bytes;
  }

  isFull(partition: Held): boolean {
    return this.#isAbove(1, partition);
  }

  /** There is room enough to go on reading a partition that was paused. */
  hasEased(partition: Held): boolean {
    return !this.#isAbove(easedAt, partition);
  }

  #isAbove(part: number, { records, recent, bytes, span }: Held): boolean {
    const { maxSpan, sharedEqually } = this.#options;
    if (span >= maxSpan * part) return true;
    if (recent > 0 && recent >= this.#mostRecent * part) return true;
    const left = { records: this.maxRecords * part - this.#records, bytes: this.maxBytes * part - this.#bytes };
    if (!sharedEqually && (left.records <= 0 || left.bytes <= 0)) return true;
    const share = sharedEqually ? this.#equalShare(part) : shareOf(left);
    // One record is always let in, however large it is and however many share.
    return records > 0 && (records >= share.records || bytes >= share.bytes);
  }

  get #timesEnough(): number {
    return this.#options.timesEnough?.() ?? 0;
  }

  /** How many of a partition may come at a time at present. One always may. */
  get #mostRecent(): number {
    const times = this.#timesEnough;
    if (times < 1) return Number.POSITIVE_INFINITY;
    return this.atATime / times;
  }

  #equalShare(part: number): Amount {
    const each = part / this.#partitions;
    return {
      records: (this.maxRecords - this.#leftRecords) * each,
      bytes: (this.maxBytes - this.#leftBytes) * each,
    };
  }
}

interface Amount {
  readonly records: number;
  readonly bytes: number;
}

function shareOf(left: Amount): Amount {
  return { records: left.records * timesWhatIsLeft, bytes: left.bytes * timesWhatIsLeft };
}
