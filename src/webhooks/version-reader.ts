import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isFramed, readFrame, type FramedValues } from '../certificates/framing.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import { bytesToLatin1, latin1ToBytes } from './stored-webhook.ts';
import type { ConfigurationChange, ConfigurationDocument, WebhookDirectory } from './directory.ts';
import { framedDocument } from './parse-bytes.ts';
import { SchemaSearch } from './schema-search.ts';
import { describeException, maxDocumentBytes, tooLarge } from './sealing/document-limits.ts';
import type { KeySet } from './sealing/key-set.ts';
import type { openBytes, OpenedBytes } from './sealing/open-document.ts';
import { awaitsKey } from './sealing/sealable-parts.ts';

/** The reader was disposed of, so changes in its queue never reach the directory. */
class VersionReaderClosedError extends Error {
  override readonly name = 'VersionReaderClosedError';
}

interface VersionReaderOptions {
  readonly directory: Pick<WebhookDirectory, 'upsert' | 'refuse' | 'remove' | 'replaceAll' | 'ids' | 'byId'>;
  readonly framed: Pick<FramedValues, 'hasSchema' | 'ask' | 'read'>;
  /** Opens sealed parts. Undefined without WEBHOOK_KEYS_FILE: then the directory refuses them. */
  readonly sealing?: { readonly open: typeof openBytes; readonly requireSealed: boolean };
  readonly clock: MonotonicClock;
}

/** A newest version that can't be used yet. Its bytes are one character each. */
interface Waiting {
  readonly bytes: string;
  /** The schema that it waits for. Undefined if it waits for a key. */
  readonly schemaId: number | undefined;
}

type Change =
  | { readonly kind: 'document'; readonly bytes: string }
  /** `bytes` are the document that it replaces in the queue. The directory takes the owner from it. */
  | { readonly kind: 'problem'; readonly problem: string; readonly bytes: string | undefined }
  | { readonly kind: 'removal' }
  | { readonly kind: 'again' };

/** Node's thread pool has 4 threads by default. Twice as many openings keep them busy. */
const concurrentOpenings = 8;
/** Bounds a turn of the event loop, because documents without sealed parts are processed without any wait. */
const longestTurnMs = 5;

/**
 * Reads the versions of configurations on their way from a source to the directory: framed ones become JSON, sealed parts are
 * opened. Owns the newest versions that can't be used yet, each with what it waits for.
 *
 * | A version               | In the directory               | Read again once            | Holds plans                        |
 * | ----------------------- | ------------------------------ | -------------------------- | ---------------------------------- |
 * | waits for a schema      | refused, for its last owner    | the registry gives it      | if no owner is known (decision 53) |
 * | waits for a key         | with the problem of its part   | the keys file has the key  | no                                 |
 *
 * With a keys file, changes wait in a queue, because opening takes time and other threads. Some are opened at a time. Without
 * one, each change is in the directory at once.
 *
 * The topic calls `prepare` with the values of each answer of a broker, and then `upsert` and `remove`. Files call
 * `replaceAll`. The keys file calls `useKeys`. The service awaits `settled` before a plan, and plans nothing while `holding`
 * is not 0.
 *
 * Promises:
 * - The newest version of a configuration wins. An older one that waits is forgotten at once, and never applied.
 * - `prepare` lets a registry that works answer first. So a configuration that was written before a certificate applies to
 *   that certificate, although its schema is new.
 * - `replaceAll` replaces the queue too, and its documents reach the directory in one call.
 * - A document stays in the directory as it was opened until its next version, even if its key is removed.
 * - `settled` covers all changes made before the call, and those that come until the queue is empty.
 */
export class VersionReader implements AsyncDisposable {
  readonly #options: VersionReaderOptions;
  readonly #search: SchemaSearch;
  readonly #waiting = new Map<string, Waiting>();
  #keys: KeySet = [];
  /** The newest change of each configuration that is not in the directory. */
  readonly #queue = new Map<string, Change>();
  /** Changes that are being opened. One that is replaced here is not applied. */
  readonly #inFlight = new Map<string, Change>();
  /** The opened part of a complete set that is not applied yet. */
  #set: Map<string, readonly ConfigurationChange[]> | undefined;
  #opening: Promise<void> | undefined;
  #turnEndsAt = 0;
  #closed: VersionReaderClosedError | undefined;

  constructor(options: VersionReaderOptions) {
    const { directory, framed, clock } = options;
    this.#options = options;
    this.#search = new SchemaSearch({
      framed,
      clock,
      // The owner of a version that is being opened is not known yet.
      hasOwner: (id) => this.isSettled && directory.byId(id)?.plannedOwnerId !== undefined,
      found: (id) => this.#schemaFound(id),
    });
  }

  /** The number of changes that are not in the directory yet. */
  get waiting(): number {
    return this.#queue.size + this.#inFlight.size;
  }

  /** True while the directory holds all changes that were made. */
  get isSettled(): boolean {
    return this.#opening === undefined;
  }

  /** The number of configurations without which no certificate can be planned. */
  get holding(): number {
    return this.#search.holding;
  }

  /** Returns the ids of all configurations, as they are once all changes are settled. */
  ids(): Iterable<string> {
    const ids = new Set(this.#options.directory.ids());
    for (const [id, { kind }] of [...this.#inFlight, ...this.#queue]) {
      if (kind === 'removal') ids.delete(id);
      else ids.add(id);
    }
    return ids;
  }

  /** Returns undefined if the values can be applied, else a promise after which they can. */
  prepare(values: Iterable<Uint8Array>): Promise<void> | undefined {
    const schemaIds = Iterator.from(values).map((value) => this.#missingSchemaOf(toBuffer(value)));
    return this.#search.prepare(new Set(schemaIds.filter((schemaId) => schemaId !== undefined)));
  }

  upsert(id: string, value: Uint8Array): void {
    this.#forget(id);
    const bytes = toBuffer(value);
    const schemaId = this.#missingSchemaOf(bytes);
    if (schemaId === undefined) return this.#pass(this.#decode(id, bytes));
    this.#waiting.set(id, { bytes: bytesToLatin1(bytes), schemaId });
    this.#search.add(id, schemaId);
    this.#pass({ id, problem: `is framed with schema ${schemaId}, which the schema registry has not given yet` });
  }

  remove(id: string): void {
    this.#forget(id);
    if (this.#options.sealing === undefined) this.#options.directory.remove(id);
    else this.#add(id, { kind: 'removal' });
  }

  /** Replaces all configurations by these, whose documents are JSON. Callers that await earlier changes await this set. */
  replaceAll(documents: Iterable<ConfigurationDocument>): void {
    if (this.#options.sealing === undefined) return this.#options.directory.replaceAll(documents);
    for (const changes of [this.#waiting, this.#queue, this.#inFlight]) changes.clear();
    this.#set = new Map();
    for (const { id, document: bytes } of documents) this.#queue.set(id, toChange(bytes));
    this.#opening ??= this.#openAll();
  }

  useKeys(keys: KeySet): void {
    this.#keys = keys;
    for (const [id, { schemaId }] of this.#waiting) {
      // A newer version is opened with the new keys anyway.
      if (schemaId === undefined && !this.#queue.has(id)) this.#add(id, { kind: 'again' });
    }
  }

  /** Resolves once the directory holds all changes made before this call. Rejects if this is disposed of before that. */
  async settled(): Promise<void> {
    await this.#opening;
    if (this.#closed !== undefined) throw this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = new VersionReaderClosedError('configurations are no longer read');
    await this.#search[Symbol.asyncDispose]();
    await this.#opening;
  }

  /** Returns the id of the schema that a value waits for. Undefined if it can be read, or never will be. */
  #missingSchemaOf(value: Buffer): number | undefined {
    const frame = isFramed(value) ? readFrame(value) : undefined;
    if (frame?.kind !== 'framed' || frame.payload.length > maxDocumentBytes) return undefined;
    return this.#options.framed.hasSchema(frame.schemaId) ? undefined : frame.schemaId;
  }

  #schemaFound(id: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting !== undefined) this.#pass(this.#decode(id, toBuffer(latin1ToBytes(waiting.bytes))));
  }

  #forget(id: string): void {
    const schemaId = this.#waiting.get(id)?.schemaId;
    if (schemaId !== undefined) this.#search.forget(id, schemaId);
    this.#waiting.delete(id);
  }

  #decode(id: string, value: Buffer): ConfigurationChange {
    if (!isFramed(value)) return { id, document: value };
    const frame = readFrame(value);
    // Its JSON is larger still, with the names of its fields.
    if (frame.kind === 'framed' && frame.payload.length > maxDocumentBytes) return { id, problem: tooLarge };
    const decoded = framedDocument(value, this.#options.framed);
    return decoded.kind === 'json' ? { id, document: decoded.bytes } : { id, problem: decoded.problem };
  }

  #pass(change: ConfigurationChange): void {
    if (this.#options.sealing === undefined) this.#apply(change);
    else if (!('problem' in change)) this.#add(change.id, toChange(change.document));
    else {
      const replaced = this.#queue.get(change.id) ?? this.#inFlight.get(change.id);
      const bytes = replaced !== undefined && 'bytes' in replaced ? replaced.bytes : undefined;
      this.#add(change.id, { kind: 'problem', problem: change.problem, bytes });
    }
  }

  #add(id: string, change: Change): void {
    this.#queue.set(id, change);
    this.#opening ??= this.#openAll();
  }

  /** Applies one version. If that throws, this configuration alone is refused. */
  #apply(change: ConfigurationChange): void {
    const { directory } = this.#options;
    try {
      if ('problem' in change) directory.refuse(change.id, change.problem);
      else directory.upsert(change.id, change.document, change.closed);
    } catch (error) {
      directory.refuse(change.id, `can not be applied: ${describeException(error)}`);
    }
  }

  async #openAll(): Promise<void> {
    // Collects the changes of the same turn, of which only the newest is opened.
    await Promise.resolve();
    while ((this.#queue.size > 0 || this.#set !== undefined) && this.#closed === undefined) {
      await Promise.all(Array.from({ length: concurrentOpenings }, () => this.#openSome()));
      if (this.#set === undefined || this.waiting > 0) continue;
      this.#options.directory.replaceAll([...this.#set.values()].flat());
      this.#set = undefined;
    }
    this.#opening = undefined;
  }

  async #openSome(): Promise<void> {
    for (const [id, change] of this.#queue) {
      if (this.#closed !== undefined) return;
      this.#queue.delete(id);
      this.#inFlight.set(id, change);
      const bytes = this.#takeBytes(id, change);
      const opened = bytes === undefined ? undefined : await this.#open(bytes);
      // A newer change is being opened, or a complete set has come.
      if (this.#inFlight.get(id) !== change) continue;
      this.#inFlight.delete(id);
      this.#applyChange(id, change, opened);
      const waits = bytes !== undefined && opened !== undefined && awaitsKey(opened.closed);
      if (waits && !this.#queue.has(id)) this.#waiting.set(id, { bytes, schemaId: undefined });
      if (performance.now() < this.#turnEndsAt) continue;
      await setImmediate();
      this.#turnEndsAt = performance.now() + longestTurnMs;
    }
  }

  /** Returns the document to open, which waits for its key no longer. Undefined without one, and if a newer one has come. */
  #takeBytes(id: string, change: Change): string | undefined {
    if (change.kind === 'document') return change.bytes;
    const waiting = change.kind === 'again' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined || waiting.schemaId !== undefined) return undefined;
    this.#waiting.delete(id);
    return waiting.bytes;
  }

  async #open(bytes: string): Promise<OpenedBytes> {
    const { sealing } = this.#options;
    assert(sealing, 'nothing is opened without a keys file');
    for (;;) {
      const keys = this.#keys;
      const opened = await sealing.open(latin1ToBytes(bytes), { keys, requireSealed: sealing.requireSealed });
      // New keys that came during the opening may include the missing one. `useKeys` does not know of this version yet.
      if (keys === this.#keys || !awaitsKey(opened.closed)) return opened;
    }
  }

  #applyChange(id: string, change: Change, opened: OpenedBytes | undefined): void {
    if (change.kind === 'removal') {
      if (this.#set === undefined) this.#options.directory.remove(id);
      else this.#set.delete(id);
      return;
    }
    const versions: ConfigurationChange[] = opened === undefined ? [] : [{ id, ...opened }];
    if (change.kind === 'problem') {
      if (change.bytes !== undefined) versions.push({ id, document: latin1ToBytes(change.bytes) });
      versions.push({ id, problem: change.problem });
    }
    if (this.#set !== undefined && versions.length > 0) this.#set.set(id, versions);
    else for (const version of versions) this.#apply(version);
  }
}

function toChange(document: Uint8Array): Change {
  return { kind: 'document', bytes: bytesToLatin1(document) };
}

function toBuffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
