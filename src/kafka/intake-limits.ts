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
   * Whether more is at hand than the process gets on with: what is read on top of it would only wait, and fill the rooms
   * of endpoints that are fast enough. Never, when left out.
   */
  readonly isBehind?: () => boolean;
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
  /** Of these, the ones that came a moment ago. */
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

/** So many of a partition may come at a time also while the process is behind: nobody's few wait for another's many. */
const fewRecords = 32;

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
    return this.#options.isBehind?.() ?? false;
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
    if (recent >= this.#few * part && this.isBehind) return true;
    const left = { records: this.maxRecords * part - this.#records, bytes: this.maxBytes * part - this.#bytes };
    if (!sharedEqually && (left.records <= 0 || left.bytes <= 0)) return true;
    const share = sharedEqually ? this.#equalShare(part) : shareOf(left);
    // One record is always let in, however large it is and however many share.
    return records > 0 && (records >= share.records || bytes >= share.bytes);
  }

  get #few(): number {
    return Math.max(fewRecords, (this.#options.maxAtOnce ?? 0) / this.#partitions);
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
