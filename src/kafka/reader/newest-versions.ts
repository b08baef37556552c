/** The place and time of one record of a key. */
export interface VersionRecord {
  readonly partition: number;
  /** Epoch milliseconds. -1 in a record that has none. */
  readonly timestamp: number;
  readonly isRemoval: boolean;
}

interface Version {
  readonly partition: number;
  readonly timestamp: number;
  /** True if another partition has held this key too. */
  readonly standsTwice: boolean;
}

/**
 * Removed keys that are remembered once the topic was read to its end. An older record of such a key can then come only
 * from a producer whose clock is slow. 100,000 of them use about 15 MB.
 */
const maxRemoved = 100_000;
/** Keys that are named where keys stand in two partitions. */
const maxNamed = 10;

/**
 * Decides which record of a key counts. A key stands in two partitions once partitions were added, because producers choose
 * the partition of a key by their number. Partitions have no order between them, so the time of the records decides.
 *
 * | The record before   | This record counts if                                                          |
 * | ------------------- | ------------------------------------------------------------------------------ |
 * | none                | always                                                                         |
 * | of this partition   | always, because offsets are the order of a partition, whatever its timestamps  |
 * | of another one      | its timestamp is newer; of equal ones the record in the higher partition counts |
 *
 * A record is as new as the newest record of its key before it in its partition. The result is then the same in whatever
 * order partitions are read. Tombstones follow the same rule, so removed keys are remembered.
 *
 * Memory: a topic with one partition needs none, because the last record of a key counts. Others need an entry for each key.
 */
export class NewestVersions {
  readonly #isSinglePartition: boolean;
  readonly #live = new Map<string, Version>();
  readonly #removed = new Map<string, Version>();
  #isComplete = false;
  #twice = 0;
  readonly #named: string[] = [];

  constructor(partitions: number) {
    this.#isSinglePartition = partitions === 1;
  }

  /** Takes the next record of a partition. Returns false if a newer one of the same key counts. */
  take(id: string, record: VersionRecord): boolean {
    if (this.#isSinglePartition) return true;
    const { isRemoval } = record;
    const known = this.#live.get(id) ?? this.#removed.get(id);
    const isElsewhere = known !== undefined && known.partition !== record.partition;
    if (isElsewhere && !known.standsTwice) this.#noteTwice(id);
    if (isElsewhere && !isNewer(record, known)) {
      this.#put(id, { ...known, standsTwice: true }, !this.#live.has(id));
      return false;
    }
    this.#put(id, versionOf(record, known, isElsewhere), isRemoval);
    return true;
  }

  /** The keys that were found in two partitions: their number, and the first of them. */
  get twice(): { readonly keys: number; readonly named: readonly string[] } {
    return { keys: this.#twice, named: this.#named };
  }

  /** Bounds the number of removed keys from now on, because the topic was read to its end. */
  complete(): void {
    this.#isComplete = true;
    this.#trim();
  }

  #put(id: string, version: Version, isRemoval: boolean): void {
    const [into, other] = isRemoval ? [this.#removed, this.#live] : [this.#live, this.#removed];
    other.delete(id);
    into.set(id, version);
    this.#trim();
  }

  #noteTwice(id: string): void {
    this.#twice += 1;
    if (this.#named.length < maxNamed) this.#named.push(id);
  }

  /** Forgets the removed keys that have been remembered longest. */
  #trim(): void {
    if (!this.#isComplete) return;
    for (const id of this.#removed.keys()) {
      if (this.#removed.size <= maxRemoved) return;
      this.#removed.delete(id);
    }
  }
}

function isNewer(record: VersionRecord, known: Version): boolean {
  if (record.timestamp !== known.timestamp) return record.timestamp > known.timestamp;
  return record.partition > known.partition;
}

function versionOf({ partition, timestamp }: VersionRecord, known: Version | undefined, isElsewhere: boolean): Version {
  const isSame = known !== undefined && !isElsewhere;
  return {
    partition,
    timestamp: isSame ? Math.max(timestamp, known.timestamp) : timestamp,
    standsTwice: isElsewhere || known?.standsTwice === true,
  };
}

/**
 * Key of the records by which `configurations accept` confirms a topic that was created again: one tombstone in each
 * partition. Its prefix is reserved, so a configuration with this key is refused.
 */
export const acceptanceKey = 'certificate-webhooks.accepted';

/** Returns false for a tombstone that removes a configuration with this key, which earlier versions took. */
export function isAcceptance(id: string, value: Buffer | null, isConfiguration: boolean): boolean {
  return value === null && id === acceptanceKey && !isConfiguration;
}
