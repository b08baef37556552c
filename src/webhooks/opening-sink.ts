import { setImmediate } from 'node:timers/promises';
import type { ConfigurationDocument, ConfigurationSink } from './directory.ts';
import { bytesToLatin1, latin1ToBytes } from '../lib/latin1.ts';
import type { KeySet } from './sealing/key-set.ts';
import { openBytes, type OpenedBytes } from './sealing/open-bytes.ts';
import { awaitsKey } from './sealing/open-document.ts';

/** It is disposed of, so nobody learns what else its source has. */
class OpeningClosedError extends Error {
  override readonly name = 'OpeningClosedError';
}

interface OpeningOptions {
  /** Where configurations go once they are opened. */
  readonly sink: ConfigurationSink;
  readonly requireSealed: boolean;
}

type Change =
  | { readonly kind: 'upsert'; readonly bytes: string }
  | { readonly kind: 'refuse'; readonly problem: string }
  | { readonly kind: 'remove' }
  /** Another try, with other keys, at the version that could not be opened. */
  | { readonly kind: 'again' };

/** What came while the batch before it was at work: of each configuration only the newest version. */
interface Batch {
  readonly changes: Map<string, Change>;
  /** Whether it is all there is: what is not among the changes is removed. */
  readonly replaces: boolean;
  readonly applied: PromiseWithResolvers<void>;
}

interface Opened extends OpenedBytes {
  readonly id: string;
  /** Before it was opened. */
  readonly bytes: string;
}

/** Node has four threads for this by default; some more at once keep them busy. */
const openingsAtOnce = 8;
/** How long documents that need no opening may follow each other before others have their turn. */
const longestTurnMs = 5;

/**
 * Opens sealed configurations on their way from a source to the directory. Opening takes time and other threads, so
 * changes are worked at in batches, one after the other, and each configuration's versions stay in their order. What
 * could not be opened is kept, and tried again when the keys change. What was opened stays open, whatever becomes of its
 * key, until its next version.
 */
export class OpeningSink implements ConfigurationSink, AsyncDisposable {
  readonly #options: OpeningOptions;
  #keys: KeySet = [];
  #next: Batch | undefined;
  #current: Batch | undefined;
  #working: Promise<void> | undefined;
  #turnEndsAt = 0;
  #closed: OpeningClosedError | undefined;
  /** By id, those that no key has opened so far. */
  readonly #unopened = new Map<string, string>();

  constructor(options: OpeningOptions) {
    this.#options = options;
  }

  /** Changes that are not in the directory yet. */
  get waiting(): number {
    return (this.#next?.changes.size ?? 0) + (this.#current?.changes.size ?? 0);
  }

  useKeys(keys: KeySet): void {
    this.#keys = keys;
    for (const id of this.#unopened.keys()) {
      // What is newer, or a whole new set, meets the new keys anyway.
      if (this.#next?.replaces !== true && this.#next?.changes.has(id) !== true) this.#add(id, { kind: 'again' });
    }
  }

  upsert(id: string, document: Uint8Array): void {
    this.#add(id, { kind: 'upsert', bytes: bytesToLatin1(document) });
  }

  refuse(id: string, problem: string): void {
    this.#add(id, { kind: 'refuse', problem });
  }

  remove(id: string): void {
    this.#add(id, { kind: 'remove' });
  }

  /** Takes the place of what waits, too. */
  replaceAll(configurations: Iterable<ConfigurationDocument>): void {
    const changes = new Map<string, Change>();
    for (const { id, document } of configurations) changes.set(id, { kind: 'upsert', bytes: bytesToLatin1(document) });
    this.#next = { changes, replaces: true, applied: this.#next?.applied ?? applied() };
    this.#working ??= this.#workOff();
  }

  /** Resolves once the directory has everything that came before this call. Rejects when this is disposed of before. */
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
    this.#next ??= { changes: new Map(), replaces: false, applied: applied() };
    this.#next.changes.set(id, change);
    this.#working ??= this.#workOff();
  }

  async #workOff(): Promise<void> {
    // What else comes in the same turn belongs to the same batch.
    await Promise.resolve();
    while (this.#next !== undefined && this.#closed === undefined) {
      const batch = this.#next;
      this.#current = batch;
      this.#next = undefined;
      await (batch.replaces ? this.#replace(batch) : this.#change(batch));
      this.#current = undefined;
      batch.applied.resolve();
    }
    this.#working = undefined;
  }

  async #change(batch: Batch): Promise<void> {
    await this.#eachOf(batch, async (id, change) => {
      const { sink } = this.#options;
      const opened = await this.#open(id, change);
      if (opened !== undefined) {
        this.#remember(opened);
        sink.upsert(id, opened.document, opened.closed);
      } else if (change.kind !== 'again') {
        this.#unopened.delete(id);
        if (change.kind === 'refuse') sink.refuse(id, change.problem);
        else sink.remove(id);
      }
    });
  }

  /** All of it is opened before any of it counts. */
  async #replace(batch: Batch): Promise<void> {
    const all: Opened[] = [];
    const refused: (readonly [id: string, problem: string])[] = [];
    await this.#eachOf(batch, async (id, change) => {
      const opened = await this.#open(id, change);
      if (opened !== undefined) all.push(opened);
      else if (change.kind === 'refuse') refused.push([id, change.problem]);
    });
    if (this.#closed !== undefined) return;
    this.#unopened.clear();
    for (const opened of all) this.#remember(opened);
    this.#options.sink.replaceAll(all);
    for (const [id, problem] of refused) this.#options.sink.refuse(id, problem);
  }

  /** Several at once, each once. */
  async #eachOf({ changes }: Batch, run: (id: string, change: Change) => Promise<void>): Promise<void> {
    const entries = changes.entries();
    const work = async (): Promise<void> => {
      for (const [id, change] of entries) {
        if (this.#closed !== undefined) return;
        await run(id, change);
        changes.delete(id);
        await this.#letOthersIn();
      }
    };
    await Promise.all(Array.from({ length: openingsAtOnce }, work));
  }

  /** Undefined for what is no document, or is none any more. */
  async #open(id: string, change: Change): Promise<Opened | undefined> {
    const bytes = change.kind === 'again' ? this.#unopened.get(id) : bytesOf(change);
    if (bytes === undefined) return undefined;
    const { requireSealed } = this.#options;
    for (;;) {
      const keys = this.#keys;
      const opened = await openBytes(latin1ToBytes(bytes), { keys, requireSealed });
      // The keys that came meanwhile may be what was missing.
      if (keys === this.#keys || !awaitsKey(opened.closed)) return { ...opened, id, bytes };
    }
  }

  #remember({ id, bytes, closed }: Opened): void {
    if (awaitsKey(closed)) this.#unopened.set(id, bytes);
    else this.#unopened.delete(id);
  }

  async #letOthersIn(): Promise<void> {
    if (performance.now() < this.#turnEndsAt) return;
    await setImmediate();
    this.#turnEndsAt = performance.now() + longestTurnMs;
  }
}

function applied(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>();
  // Nobody has to wait for it.
  resolvers.promise.catch(() => undefined);
  return resolvers;
}

function bytesOf(change: Change): string | undefined {
  return change.kind === 'upsert' ? change.bytes : undefined;
}
