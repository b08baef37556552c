import type { LogRecord } from '../client/topic-log.ts';
import { acceptanceKey, NewestVersions } from './newest-versions.ts';

/** Bytes of a key, and of a document that is read again. Longer ones are refused, so their ends are left out. */
const mostKeyBytes = 2048;
const mostDocumentBytes = 128 * 1024;

/** The newest document of each key of a compacted topic. The reader of the topic fills it. */
export interface Table {
  /** Called with the values of an answer of a broker before they are applied. Returns a promise if they have to wait. */
  prepare?(values: Iterable<Uint8Array>): Promise<void> | undefined;
  /** The number of documents that can't be read yet, and must be before the table counts as complete. */
  readonly holding?: number;
  /** Returns the ids of all documents, also of those that can't be read or used. */
  ids(): Iterable<string>;
  /** Adds or replaces a document. Its bytes are a slice of a response, so the table copies what it keeps. */
  upsert(id: string, document: Uint8Array): void;
  remove(id: string): void;
}

/** The keys of the last state that a topic which is read again does not hold yet, and has not removed. */
export interface Missing {
  readonly keys: ReadonlySet<string>;
  /** Keys of the last state. */
  readonly expected: number;
}

/**
 * Applies the records of a topic to a table. Owns which record of each key counts, what a repeated read has collected, and
 * which keys of the last state are missing.
 *
 * ```
 *            (first read)                      beginRead                    applyCollected
 *   reading ──────────────▶ the same ─────────────────────────▶ collecting ────────────────▶ reading
 * ```
 *
 * | State      | A record changes                                             | Missing are                      |
 * | ---------- | ------------------------------------------------------------ | -------------------------------- |
 * | reading    | the table                                                    | keys that were not found again   |
 * | collecting | what is collected; the table keeps its last state            | the same                         |
 *
 * Promises:
 * - The table never goes back in time: a repeated read meets versions that were replaced long ago.
 * - A key leaves the table by a tombstone or by `removeMissing` alone.
 */
export class TopicTable {
  readonly #table: Table;
  #versions = new NewestVersions(1);
  #partitions = 1;
  #hasBegun = false;
  /** The newest document of each key that a repeated read has found so far. Null for a tombstone. */
  #collected: Map<string, Buffer | null> | undefined;
  #missing = new Set<string>();
  #expected = 0;
  /** Partitions in which `configurations accept` confirmed the topic. */
  readonly #accepted = new Set<number>();
  /** True while a configuration is called as the record of an acceptance. Earlier versions took such a one. */
  #isKeyTaken = false;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Returns undefined if these records can be applied, else a promise after which they can. */
  prepare(records: readonly LogRecord[]): Promise<void> | undefined {
    return this.#table.prepare?.(records.flatMap(({ key, value }) => (key === null ? [] : (value ?? []))));
  }

  apply({ key, value, timestamp }: LogRecord, partition: number): void {
    if (key === null) return;
    const id = key.toString('utf8', 0, mostKeyBytes);
    if (id === acceptanceKey && this.#isAcceptance(value, partition)) return;
    const version = { partition, timestamp: Number(timestamp), isRemoval: value === null };
    if (!this.#versions.take(id, version)) return;
    this.#missing.delete(id);
    if (this.#collected === undefined) this.#put(id, value);
    else this.#collected.set(id, value && Buffer.from(value.subarray(0, mostDocumentBytes)));
  }

  /** Starts a read of all partitions from their start. What is in the table stays there in the meantime. */
  beginRead(partitions: number): void {
    this.#versions = new NewestVersions(partitions);
    this.#partitions = partitions;
    this.#collected = this.#hasBegun ? new Map() : undefined;
    this.#hasBegun = true;
    this.#missing = new Set(this.#table.ids());
    this.#expected = this.#missing.size;
    this.#accepted.clear();
  }

  /** Applies what is collected, and all later records, to the table. Missing keys stay in it. */
  applyCollected(): void {
    for (const [id, document] of this.#collected ?? []) this.#put(id, document);
    this.#collected = undefined;
    this.#versions.complete();
  }

  get missing(): Missing {
    return { keys: this.#missing, expected: this.#expected };
  }

  /** The number of keys of the last state, and of those that are there again or removed. */
  get refill(): { readonly found: number; readonly expected: number } {
    return { found: this.#expected - this.#missing.size, expected: this.#expected };
  }

  get size(): number {
    return Iterator.from(this.#table.ids()).reduce((size) => size + 1, 0);
  }

  get isAccepted(): boolean {
    return this.#accepted.size >= this.#partitions;
  }

  /** Takes missing keys for removed. */
  removeMissing(): void {
    for (const id of this.#missing) this.#table.remove(id);
    this.#missing.clear();
  }

  get twice(): NewestVersions['twice'] {
    return this.#versions.twice;
  }

  #put(id: string, value: Buffer | null): void {
    if (value === null) this.#table.remove(id);
    else this.#table.upsert(id, value);
  }

  #isAcceptance(value: Buffer | null, partition: number): boolean {
    const isTaken = this.#isKeyTaken;
    this.#isKeyTaken = value !== null;
    if (value !== null || isTaken) return false;
    this.#accepted.add(partition);
    return true;
  }
}
