import { isFramed, readFrame, type FramedValues } from '../../certificates/framing.ts';
import type { MonotonicClock } from '../../lib/clock.ts';
import { applyChange } from '../apply-change.ts';
import type { ConfigurationChange, ConfigurationSink } from '../directory.ts';
import { maxDocumentBytes, tooLarge } from '../sealing/document-limits.ts';
import { framedDocument } from './framed-document.ts';
import { MissingSchemas } from './missing-schemas.ts';

interface DecodingOptions {
  /** Receives the configurations as JSON. */
  readonly sink: ConfigurationSink;
  readonly framed: Pick<FramedValues, 'hasSchema' | 'ask' | 'read'>;
  /** Returns true if an owner is known under the configuration's id. */
  readonly hasOwner: (id: string) => boolean;
  readonly clock: MonotonicClock;
}

/**
 * Converts framed configurations to JSON on their way from the topic to the directory. Other values pass unchanged.
 *
 * The topic calls `prepare` with the values of each answer of a broker, and then `upsert`, `remove` or `replaceAll`. No
 * certificate is planned while `holding` is not 0.
 *
 * Promises:
 * - A configuration whose schema can't be had is refused. It holds back no other one, unless nobody knows its owner.
 * - It is applied once its schema is there, unless a newer version or a tombstone has come.
 * - `prepare` lets a registry that works answer first. So a configuration that was written before a certificate still
 *   applies to that certificate, although its schema is new.
 */
export class DecodingSink implements AsyncDisposable {
  readonly #options: DecodingOptions;
  readonly #missing: MissingSchemas;

  constructor(options: DecodingOptions) {
    this.#options = options;
    this.#missing = new MissingSchemas({
      ...options,
      found: (id, value) => applyChange(options.sink, this.#decode(id, value)),
    });
  }

  /** Returns undefined if the values can be applied, else a promise after which they can. */
  prepare(values: Iterable<Uint8Array>): Promise<void> | undefined {
    const schemaIds = new Set<number>();
    for (const value of values) {
      const schemaId = this.#missingSchemaOf(toBuffer(value));
      if (schemaId !== undefined) schemaIds.add(schemaId);
    }
    return this.#missing.prepare(schemaIds);
  }

  upsert(id: string, value: Uint8Array): void {
    this.#missing.forget(id);
    applyChange(this.#options.sink, this.#read(id, value));
  }

  remove(id: string): void {
    this.#missing.forget(id);
    this.#options.sink.remove(id);
  }

  ids(): Iterable<string> {
    return this.#options.sink.ids();
  }

  replaceAll(values: Iterable<{ readonly id: string; readonly document: Uint8Array }>): void {
    this.#missing.clear();
    this.#options.sink.replaceAll(this.#readAll(values));
  }

  /** The number of configurations without which no certificate can be planned. */
  get holding(): number {
    return this.#missing.holding;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#missing[Symbol.asyncDispose]();
  }

  /** Reads one value at a time, because there may be a million. */
  *#readAll(values: Iterable<{ readonly id: string; readonly document: Uint8Array }>): Generator<ConfigurationChange> {
    for (const { id, document } of values) yield this.#read(id, document);
  }

  #read(id: string, value: Uint8Array): ConfigurationChange {
    const bytes = toBuffer(value);
    if (!isFramed(bytes)) return { id, document: value };
    if (isTooLarge(bytes)) return { id, problem: tooLarge };
    const schemaId = this.#missingSchemaOf(bytes);
    if (schemaId === undefined) return this.#decode(id, bytes);
    this.#missing.add(id, schemaId, Buffer.from(bytes));
    return { id, problem: `is framed with schema ${schemaId}, which the schema registry has not given yet` };
  }

  #decode(id: string, value: Buffer): ConfigurationChange {
    const decoded = framedDocument(value, this.#options.framed);
    return decoded.kind === 'json' ? { id, document: decoded.bytes } : { id, problem: decoded.problem };
  }

  /** Returns the id of the schema that a value waits for. Undefined if it can be read, or never will be. */
  #missingSchemaOf(value: Buffer): number | undefined {
    const frame = isFramed(value) && !isTooLarge(value) ? readFrame(value) : undefined;
    if (frame?.kind !== 'framed') return undefined;
    return this.#options.framed.hasSchema(frame.schemaId) ? undefined : frame.schemaId;
  }
}

/** Returns true for a framed value whose payload exceeds the limit. Its JSON is larger still, with the names of its fields. */
function isTooLarge(value: Buffer): boolean {
  const frame = readFrame(value);
  return frame.kind === 'framed' && frame.payload.length > maxDocumentBytes;
}

function toBuffer(value: Uint8Array): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
