import { strict as assert } from 'node:assert';
import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { compileSchema } from '../formats/compile.ts';
import { readFrame, type Format, type FramedResult, type FramedValues, type SchemaAnswer } from '../framing.ts';
import type { RegistryFailure } from './answer.ts';
import type { FindSchema } from './registry-client.ts';

export interface SchemaRegistryEvents {
  /** Emitted when the registry gives no usable answer. Records that need the schema wait. */
  schemaRegistryFailed(failed: {
    readonly schemaId: number;
    readonly failure: RegistryFailure;
    readonly reason: string;
    readonly retryInMs: number;
  }): void;
  /** Emitted when the registry does not know the id. Without `retryInMs`, records with that id are undecodable. */
  schemaUnknown(unknown: { readonly schemaId: number; readonly retryInMs: number | undefined }): void;
}

interface SchemasOptions {
  readonly find: FindSchema;
  readonly events: SchemaRegistryEvents;
  readonly clock: MonotonicClock;
}

/** The wait before the second request for a schema. It doubles with each further one. */
const firstRetryMs = 500;
/** Bounds the delay of waiting records after the registry has recovered. */
const longestRetryMs = 15_000;
/** The largest id there can be. Registries count from 1, so none gets that far. */
const unassignedId = 2 ** 31 - 1;

/**
 * Compiled schemas by id, fetched from the registry on first use.
 *
 * A schema never changes under its id, so a known one is kept for good, even while the registry fails. An unknown one is
 * requested until there is an answer, with one request at a time for each id.
 *
 * | State of an id | `whenReadable` resolves            | `read` returns                  |
 * | -------------- | ---------------------------------- | ------------------------------- |
 * | not requested  | after the request that it starts   | must not be called              |
 * | requested      | after the pending request succeeds | must not be called              |
 * | known          | not needed                         | the value, read with its schema |
 * | given up       | not needed, for 30 s               | a rejection                     |
 *
 * `ask` is for callers that do not wait. It requests a schema once, and gives up no id. Otherwise its requests over years
 * could make a record undecodable whose schema was registered a moment ago.
 */
export class Schemas implements FramedValues, Disposable {
  readonly #options: SchemasOptions;
  readonly #formats = new Map<number, Format>();
  readonly #unknown = new UnknownIds();
  readonly #lookups = new Map<number, Promise<void>>();
  readonly #asked = new Map<number, Promise<SchemaAnswer>>();
  readonly #closing = new AbortController();

  constructor(options: SchemasOptions) {
    this.#options = options;
  }

  /** Never rejects. After disposal it never resolves. */
  whenReadable(value: Buffer): Promise<void> | undefined {
    const frame = readFrame(value);
    if (frame.kind === 'broken' || this.#formatOf(frame.schemaId) !== undefined) return undefined;
    return this.#lookUp(frame.schemaId);
  }

  read(value: Buffer): FramedResult {
    const frame = readFrame(value);
    if (frame.kind === 'broken') return { kind: 'undecodable', message: `the value ${frame.problem}` };
    const format = this.#formatOf(frame.schemaId);
    assert(format !== undefined, 'a value is read before its schema is there');
    return format(frame.payload);
  }

  hasSchema(id: number): boolean {
    return this.#formats.has(id);
  }

  /** Requests the schema once. Callers of one id share the request. `retryInMs` is when the caller asks again. */
  async ask(id: number, retryInMs: number): Promise<SchemaAnswer> {
    const asked = this.#asked.get(id) ?? this.#askOnce(id, retryInMs).finally(() => this.#asked.delete(id));
    this.#asked.set(id, asked);
    return asked;
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  /** Returns undefined until the schema is known, or its id has been given up. */
  #formatOf(id: number): Format | undefined {
    const format = this.#formats.get(id);
    if (format !== undefined) return format;
    if (!this.#isGivenUp(id)) return undefined;
    return () => ({ kind: 'undecodable', message: `the schema registry has no schema ${id}` });
  }

  async #lookUp(id: number): Promise<void> {
    const lookup = this.#lookups.get(id) ?? this.#ask(id).finally(() => this.#lookups.delete(id));
    this.#lookups.set(id, lookup);
    return lookup;
  }

  async #askOnce(id: number, retryInMs: number): Promise<SchemaAnswer> {
    const answer = await this.#request(id, retryInMs, () => false);
    if (answer !== 'failed') return answer;
    const { kind } = await this.#options.find(unassignedId, this.#closing.signal);
    return kind === 'failed' ? 'away' : 'failing';
  }

  /** Requests the schema once. `giveUp` decides about an unknown id. */
  async #request(id: number, retryInMs: number, giveUp: () => boolean): Promise<'found' | 'unknown' | 'failed'> {
    const { find, events } = this.#options;
    const answer = await find(id, this.#closing.signal);
    if (this.#closing.signal.aborted) return 'failed';
    switch (answer.kind) {
      case 'found':
        this.#formats.set(id, compileSchema(answer.found));
        this.#unknown.forget(id);
        return 'found';
      case 'failed':
        events.schemaRegistryFailed({ schemaId: id, failure: answer.failure, reason: answer.reason, retryInMs });
        return 'failed';
      case 'unknown':
        events.schemaUnknown({ schemaId: id, retryInMs: giveUp() ? undefined : retryInMs });
        return 'unknown';
    }
  }

  async #ask(id: number): Promise<void> {
    const { signal } = this.#closing;
    const backoff = new Backoff({ firstMs: firstRetryMs, longestMs: longestRetryMs });
    while (!signal.aborted) {
      const retryInMs = backoff.next();
      const answer = await this.#request(id, retryInMs, () => this.#giveUp(id));
      if (answer === 'found' || this.#isGivenUp(id)) return;
      await sleep(this.#options.clock, retryInMs, signal);
    }
    await new Promise<never>(() => undefined);
  }

  #giveUp(id: number): boolean {
    this.#unknown.add(id, this.#options.clock.monotonic());
    return this.#isGivenUp(id);
  }

  #isGivenUp(id: number): boolean {
    return this.#unknown.isGivenUp(id, this.#options.clock.monotonic());
  }
}

/** An unknown id is requested again for this long, because producers may register their schema a little later. */
const graceMs = 5 * 60_000;
/** An id that was given up stays so for this long. Then the registry is asked once more. */
const givenUpMs = 30_000;
/** Bounds the memory, because the ids come from records and may be arbitrary. */
const maxIds = 1000;

export class UnknownIds {
  readonly #ids = new Map<number, { readonly since: number; readonly last: number }>();

  /** Remembers that the registry did not know the id at `now`. */
  add(id: number, now: number): void {
    const { since, last } = this.#ids.get(id) ?? { since: now, last: now };
    this.#ids.delete(id);
    // After a gap longer than the grace, the grace starts again.
    this.#ids.set(id, { since: now - last > graceMs ? now : since, last: now });
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > maxIds && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** Returns true when the registry was asked for the whole grace, the last time less than 30 s ago. */
  isGivenUp(id: number, now: number): boolean {
    const known = this.#ids.get(id);
    return known !== undefined && now - known.last < givenUpMs && known.last - known.since >= graceMs;
  }

  forget(id: number): void {
    this.#ids.delete(id);
  }
}
