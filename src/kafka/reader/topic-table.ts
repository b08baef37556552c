import type { LogRecord } from '../records/source-record.ts';
import { isAcceptance } from './acceptance.ts';
import { NewestVersions } from './newest-versions.ts';
import type { Refill } from './refill.ts';

/** Bytes of a key, and of a document that is read again. Longer ones are refused, so their ends are left out. */
const mostKeyBytes = 2048;
const mostDocumentBytes = 128 * 1024;

/** The newest document of each key of a compacted topic. The reader of the topic fills it. */
export interface Table {
  /** Called with the values of an answer of a broker before they are applied. Returns a promise if they have to wait. */
  prepare?(values: Iterable<Uint8Array>): Promise<void> | undefined;
  /** The number of documents that can't be read yet, and must be before the table counts as complete. */
  readonly holding?: number;
  /** Adds or replaces a document. Its bytes are a slice of a response, so the table copies what it keeps. */
  upsert(id: string, document: Uint8Array): void;
  /** Removes a document if there is one. */
  remove(id: string): void;
  /** Replaces all documents by these. */
  replaceAll(documents: Iterable<{ readonly id: string; readonly document: Uint8Array }>): void;
}

/**
 * Applies the records of a topic to a table. Owns which record of each key counts, and what a repeated read has collected.
 *
 * ```
 *            finishRead                  beginRead                     overlay
 *   reading ────────────▶ following ──────────────▶ collecting ──────────────────▶ overlaid
 *                             ▲                          │                            │
 *                             └──────────────────────────┴────────────────────────────┘
 *                                                 finishRead
 * ```
 *
 * | State              | A record changes                                                                 |
 * | ------------------ | -------------------------------------------------------------------------------- |
 * | reading, following | the table                                                                        |
 * | collecting         | what is collected; the table keeps its last complete state                       |
 * | overlaid           | both; keys that the topic does not hold again keep their last state in the table |
 *
 * Promises:
 * - The table never goes back in time, and a key leaves it by a tombstone or by `finishRead` alone.
 * - A tombstone removes its key in every state. It also lowers the number of keys that are expected again.
 */
export class TopicTable {
  readonly #table: Table;
  #versions = new NewestVersions(1);
  #partitions = 1;
  #isRead = false;
  /** Keys of the last complete state. Undefined unless the topic is read again. */
  #kept: NewestVersions | undefined;
  /** Documents collected by a repeated read. */
  #collected = new Map<string, Buffer>();
  /** Kept keys that a repeated read found again. */
  readonly #again = new Set<string>();
  /** Kept keys that a repeated read found removed. Empty once overlaid, because they are no longer kept then. */
  readonly #removed = new Set<string>();
  #isOverlaid = false;
  /** Keys that an earlier process knew, until a read is finished. */
  #expected = 0;
  /** Partitions in which `configurations accept` confirmed the topic. */
  readonly #accepted = new Set<number>();

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
    if (isAcceptance(id, value, this.#versions.has(id) || this.#kept?.has(id) === true)) {
      this.#accepted.add(partition);
      return;
    }
    const version = { partition, timestamp: Number(timestamp), isRemoval: value === null };
    if (!this.#versions.take(id, version)) return;
    if (this.#kept !== undefined) this.#collect(id, value, this.#kept);
    if (this.#kept === undefined || this.#isOverlaid) applyToTable(this.#table, id, value);
  }

  /**
   * Starts a read of all partitions from their start. What is in the table stays there in the meantime. `expected` is the
   * number of keys that an earlier process knew, if the first read has to find them.
   */
  beginRead(partitions: number, expected = 0): void {
    if (this.#isRead) this.#kept ??= this.#versions;
    this.#isRead = true;
    this.#expected = Math.max(this.#expected, expected);
    this.#versions = new NewestVersions(partitions);
    this.#partitions = partitions;
    this.#collected = new Map();
    this.#removed.clear();
    this.#again.clear();
    this.#isOverlaid = false;
    this.#accepted.clear();
  }

  /** Returns how many keys were expected and found. New keys count only if the expected ones are not known by name. */
  refill(): Refill {
    return {
      expected: Math.max((this.#kept?.size ?? 0) - this.#removed.size, this.#expected),
      found: this.#kept === undefined || this.#expected > 0 ? this.#versions.size : this.#again.size,
      isAccepted: this.#accepted.size >= this.#partitions,
    };
  }

  /** Applies what is collected, and all later records, to the table. Keys that were not found stay in the table. */
  overlay(): void {
    if (this.#kept === undefined || this.#isOverlaid) return;
    this.#isOverlaid = true;
    for (const id of this.#removed) {
      this.#table.remove(id);
      this.#kept.delete(id);
    }
    this.#removed.clear();
    for (const [id, document] of this.#collected) this.#table.upsert(id, document);
  }

  /** Replaces the table's documents by the collected ones, if the topic was read again. */
  finishRead(): void {
    this.#versions.complete();
    this.#expected = 0;
    if (this.#kept === undefined) return;
    this.#table.replaceAll(documentsOf(this.#collected));
    this.#kept = undefined;
    this.#collected = new Map();
    this.#removed.clear();
    this.#again.clear();
  }

  /** The keys that stand in two partitions. */
  get twice(): NewestVersions['twice'] {
    return this.#versions.twice;
  }

  #collect(id: string, document: Buffer | null, kept: NewestVersions): void {
    if (document !== null) {
      this.#collected.set(id, Buffer.from(document.subarray(0, mostDocumentBytes)));
      if (kept.has(id)) this.#again.add(id);
      this.#removed.delete(id);
      return;
    }
    this.#collected.delete(id);
    this.#again.delete(id);
    if (this.#isOverlaid) kept.delete(id);
    else if (kept.has(id)) this.#removed.add(id);
  }
}

function applyToTable(table: Table, id: string, value: Buffer | null): void {
  if (value === null) table.remove(id);
  else table.upsert(id, value);
}

/** Yields one document at a time, because there may be a million. */
function* documentsOf(documents: ReadonlyMap<string, Buffer>): Generator<{ id: string; document: Buffer }> {
  for (const [id, document] of documents) yield { id, document };
}
