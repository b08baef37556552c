import { setImmediate } from 'node:timers/promises';
import { applyChange } from './apply-change.ts';
import type { ConfigurationChange, ConfigurationDocument, ConfigurationSink } from './directory.ts';
import { bytesToLatin1, latin1ToBytes } from '../lib/latin1.ts';
import type { KeySet } from './sealing/key-set.ts';
import { openBytes, type OpenedBytes } from './sealing/open-bytes.ts';
import { awaitsKey } from './sealing/open-document.ts';

/** The sink was disposed of, so waiting changes never reach the directory. */
class OpeningClosedError extends Error {
  override readonly name = 'OpeningClosedError';
}

interface OpeningOptions {
  /** Receives the opened configurations. */
  readonly sink: ConfigurationSink;
  readonly requireSealed: boolean;
}

type Change =
  | { readonly kind: 'upsert'; readonly bytes: string }
  /** `before` is the version that it replaces among the waiting changes. The directory takes the owner from it. */
  | { readonly kind: 'refuse'; readonly problem: string; readonly before: string | undefined }
  | { readonly kind: 'remove' }
  /** Tries the unopened version again, after the keys have changed. */
  | { readonly kind: 'retry' };

/** The changes that arrived while the batch before was processed: for each configuration only the newest. */
interface Batch {
  readonly changes: Map<string, Change>;
  /** True when the batch is a complete set: configurations that are not in it are removed. */
  readonly replaces: boolean;
  readonly applied: PromiseWithResolvers<void>;
}

interface Opened extends OpenedBytes {
  readonly id: string;
  /** The document before it was opened, one character for each byte. */
  readonly bytes: string;
}

type Unread = Exclude<ConfigurationChange, ConfigurationDocument>;

/** Node's thread pool has 4 threads by default. Twice as many openings keep them busy. */
const concurrentOpenings = 8;
/** Bounds a turn of the event loop, because documents without sealed parts are processed without any wait. */
const longestTurnMs = 5;

/**
 * Opens sealed configurations on their way from a source to the directory. Exists only when WEBHOOK_KEYS_FILE is set.
 *
 * Owns the keys in use, the batch of waiting changes, the batch in progress, and the documents that no key has opened.
 * Opening is asynchronous and uses other threads, so changes are collected into batches. One batch is processed at a
 * time, and the next one collects the changes that arrive in the meantime.
 *
 * ```
 * source ──> next batch ──> current batch ──┬─ opened, or nothing sealed ──> upsert
 *                ^                          ├─ closed for good ───────────> upsert with the problem
 *                │ retry                    ├─ key missing ───────────────> upsert with the problem ─> unopened
 *                └──── new keys ◄────────────────────────────────────────────────────────────────────────┘
 * ```
 *
 * The source calls `upsert`, `refuse`, `remove` and `replaceAll`. The keys file calls `useKeys`. The service awaits
 * `settled` before a plan, and adds `waiting` to the lag of the source.
 *
 * Promises:
 * - The newest version of a configuration wins. Older versions that still wait are never opened.
 * - `replaceAll` replaces the waiting changes too, and its documents reach the directory in one call.
 * - A document stays in the directory as it was opened until its next version, even if its key is removed.
 * - `settled` covers all changes made before the call, because each batch starts after the one before it.
 */
export class OpeningSink implements ConfigurationSink, AsyncDisposable {
  readonly #options: OpeningOptions;
  #keys: KeySet = [];
  #next: Batch | undefined;
  #current: Batch | undefined;
  #working: Promise<void> | undefined;
  #turnEndsAt = 0;
  #closed: OpeningClosedError | undefined;
  /** Documents by id that wait for a key. */
  readonly #unopened = new Map<string, string>();

  constructor(options: OpeningOptions) {
    this.#options = options;
  }

  /** The number of changes that are not in the directory yet. */
  get waiting(): number {
    return (this.#next?.changes.size ?? 0) + (this.#current?.changes.size ?? 0);
  }

  /** True while the directory holds all changes that were made. */
  get isSettled(): boolean {
    return (this.#next ?? this.#current) === undefined;
  }

  useKeys(keys: KeySet): void {
    this.#keys = keys;
    for (const id of this.#unopened.keys()) {
      // A newer version, or a complete set, is opened with the new keys anyway.
      if (this.#next?.replaces !== true && this.#next?.changes.has(id) !== true) this.#add(id, { kind: 'retry' });
    }
  }

  /** Returns the ids as they are once all changes are settled. */
  ids(): Iterable<string> {
    const ids = new Set(this.#options.sink.ids());
    for (const batch of [this.#current, this.#next]) {
      if (batch?.replaces === true) ids.clear();
      for (const [id, { kind }] of batch?.changes ?? []) {
        if (kind === 'remove') ids.delete(id);
        else ids.add(id);
      }
    }
    return ids;
  }

  upsert(id: string, document: Uint8Array): void {
    this.#add(id, { kind: 'upsert', bytes: bytesToLatin1(document) });
  }

  refuse(id: string, problem: string): void {
    const waiting = this.#next?.changes.get(id);
    const before = waiting?.kind === 'refuse' ? waiting.before : waiting && bytesOf(waiting);
    this.#add(id, { kind: 'refuse', problem, before });
  }

  remove(id: string): void {
    this.#add(id, { kind: 'remove' });
  }

  /** Replaces the waiting changes too. Callers that await those await this set instead. */
  replaceAll(configurations: Iterable<ConfigurationChange>): void {
    const changes = new Map<string, Change>();
    for (const one of configurations) {
      if ('problem' in one) changes.set(one.id, { kind: 'refuse', problem: one.problem, before: undefined });
      else changes.set(one.id, { kind: 'upsert', bytes: bytesToLatin1(one.document) });
    }
    this.#next = { changes, replaces: true, applied: this.#next?.applied ?? createApplied() };
    this.#working ??= this.#processBatches();
  }

  /** Resolves once the directory holds all changes made before this call. Rejects if this is disposed of before that. */
  async settled(): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    await (this.#next ?? this.#current)?.applied.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = new OpeningClosedError('configurations are no longer opened');
    for (const batch of [this.#next, this.#current]) batch?.applied.reject(this.#closed);
    await this.#working;
  }

  #add(id: string, change: Change): void {
    this.#next ??= { changes: new Map(), replaces: false, applied: createApplied() };
    this.#next.changes.set(id, change);
    this.#working ??= this.#processBatches();
  }

  async #processBatches(): Promise<void> {
    // Collects the changes of the same turn into the same batch.
    await Promise.resolve();
    while (this.#next !== undefined && this.#closed === undefined) {
      const batch = this.#next;
      this.#current = batch;
      this.#next = undefined;
      await (batch.replaces ? this.#replace(batch) : this.#applyChanges(batch));
      this.#current = undefined;
      batch.applied.resolve();
    }
    this.#working = undefined;
  }

  async #applyChanges(batch: Batch): Promise<void> {
    await this.#forEachChange(batch, async (id, change) => {
      const { sink } = this.#options;
      const opened = await this.#open(id, change);
      if (opened !== undefined) {
        this.#remember(opened);
        applyChange(sink, opened);
      } else if (change.kind !== 'retry') {
        this.#unopened.delete(id);
        if (change.kind === 'refuse') refuse(sink, id, change);
        else sink.remove(id);
      }
    });
  }

  /** Opens all documents of the batch, then replaces the content of the directory in one call. */
  async #replace(batch: Batch): Promise<void> {
    const all: (Opened | Unread)[] = [];
    await this.#forEachChange(batch, async (id, change) => {
      const opened = await this.#open(id, change);
      if (opened !== undefined) all.push(opened);
      else if (change.kind === 'refuse') all.push({ id, problem: change.problem });
    });
    // An interrupted batch is incomplete, and would remove configurations.
    if (this.#closed !== undefined) return;
    this.#unopened.clear();
    for (const one of all) if (!('problem' in one)) this.#remember(one);
    this.#options.sink.replaceAll(all);
  }

  /** Runs once for each change, several at the same time. Stops early once disposed of. */
  async #forEachChange({ changes }: Batch, run: (id: string, change: Change) => Promise<void>): Promise<void> {
    const entries = changes.entries();
    const work = async (): Promise<void> => {
      for (const [id, change] of entries) {
        if (this.#closed !== undefined) return;
        await run(id, change);
        changes.delete(id);
        await this.#yieldToEventLoop();
      }
    };
    await Promise.all(Array.from({ length: concurrentOpenings }, work));
  }

  /** Opens the document of a change. Returns undefined for a change without one, and for a retry that is outdated. */
  async #open(id: string, change: Change): Promise<Opened | undefined> {
    const bytes = change.kind === 'retry' ? this.#unopened.get(id) : bytesOf(change);
    if (bytes === undefined) return undefined;
    const { requireSealed } = this.#options;
    for (;;) {
      const keys = this.#keys;
      const opened = await openBytes(latin1ToBytes(bytes), { keys, requireSealed });
      // New keys that arrived during the opening may include the missing one. `useKeys` does not know of this document yet.
      if (keys === this.#keys || !awaitsKey(opened.closed)) return { ...opened, id, bytes };
    }
  }

  #remember({ id, bytes, closed }: Opened): void {
    if (awaitsKey(closed)) this.#unopened.set(id, bytes);
    else this.#unopened.delete(id);
  }

  async #yieldToEventLoop(): Promise<void> {
    if (performance.now() < this.#turnEndsAt) return;
    await setImmediate();
    this.#turnEndsAt = performance.now() + longestTurnMs;
  }
}

function createApplied(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>();
  // Prevents an unhandled rejection when no caller awaits the promise.
  resolvers.promise.catch(() => undefined);
  return resolvers;
}

function refuse(sink: ConfigurationSink, id: string, { before, problem }: Extract<Change, { kind: 'refuse' }>): void {
  if (before !== undefined) applyChange(sink, { id, document: latin1ToBytes(before) });
  sink.refuse(id, problem);
}

function bytesOf(change: Change): string | undefined {
  return change.kind === 'upsert' ? change.bytes : undefined;
}
