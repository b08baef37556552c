import { setImmediate } from 'node:timers/promises';
import type { FramedValues } from '../../certificates/framing.ts';
import { unlessAborted } from '../../lib/aborted.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';

interface MissingSchemasOptions {
  readonly ask: FramedValues['ask'];
  /** Called for each configuration that still waits when its schema is there. */
  readonly found: (id: string, value: Buffer) => void;
  readonly clock: MonotonicClock;
}

interface MissingSchema {
  /** Values by configuration. */
  readonly values: Map<string, Buffer>;
  /** Monotonic time of the next request. */
  dueAt: number;
  waitMs: number;
  /** True if the registry's last answer was that it has no such schema. */
  isUnknown: boolean;
}

/** Requests in flight. Each opens a connection, so more would burden the registry. */
const concurrentRequests = 8;
/** Schemas requested in one round. Ids come from records, so there may be any number of them. */
const maxPerRound = 100;
/** The pause between two rounds. */
const roundMs = 1_000;
/** The wait before the second request for a schema. It doubles with each further one. */
const firstWaitMs = 500;
/** Bounds the delay of configurations after the registry has recovered. */
const longestWaitMs = 15_000;
/** The longest wait of an id that the registry does not know. Most of them are mistakes and never appear. */
const longestUnknownWaitMs = 5 * 60_000;
/** The longest time that reading waits for the registry. A healthy one answers within some ms. */
const firstAnswerMs = 5_000;
/** The pause between two looks at the answers, at the start. */
const answeredPollMs = 100;
/** Configurations applied in one turn of the event loop. A schema may be that of all of them. */
const maxPerTurn = 200;

/**
 * Waits for the schemas of configurations that could not be read, and hands each configuration back once its schema is
 * there. Owns the values that wait, by schema and by configuration, and the loop that asks the registry.
 *
 * | State of a schema | Entered when                            | Asked again after                     |
 * | ----------------- | --------------------------------------- | ------------------------------------- |
 * | unanswered        | `add`, or the registry failed           | 0.5 s, doubled up to 15 s             |
 * | unknown           | the registry has no such schema         | 0.5 s, doubled up to 5 min            |
 * | found             | the registry gave it                    | never; its configurations are applied |
 *
 * `DecodingSink` calls `add`, `forget` and `clear` for each change, and `prepare` before it.
 *
 * Promises:
 * - The schemas that have waited longest are asked for first, and a bounded number at once. So ids that never appear delay
 *   others by some rounds at most.
 * - `prepare` delays nothing while the registry is away. Otherwise each new id would hold back all plans for 5 s.
 * - A configuration is handed back only if no newer version has taken its place.
 */
export class MissingSchemas implements AsyncDisposable {
  readonly #options: MissingSchemasOptions;
  readonly #schemas = new Map<number, MissingSchema>();
  readonly #schemaOf = new Map<string, MissingSchema>();
  readonly #closing = new AbortController();
  #isAway = false;
  #retrying: Promise<void> | undefined;

  constructor(options: MissingSchemasOptions) {
    this.#options = options;
  }

  /** Adds a configuration, whose value the caller does not change any more. */
  add(id: string, schemaId: number, value: Buffer): void {
    const soon = this.#options.clock.monotonic() + firstWaitMs;
    const schema = this.#schemas.get(schemaId) ?? newSchema(soon);
    this.#schemas.set(schemaId, schema);
    schema.dueAt = Math.min(schema.dueAt, soon);
    schema.values.set(id, value);
    this.#schemaOf.set(id, schema);
    this.#retrying ??= this.#retry();
  }

  forget(id: string): void {
    this.#schemaOf.get(id)?.values.delete(id);
    this.#schemaOf.delete(id);
  }

  clear(): void {
    for (const { values } of this.#schemas.values()) values.clear();
    this.#schemas.clear();
    this.#schemaOf.clear();
  }

  /** Asks for these schemas, unless the registry is away. Resolves once it has answered or failed, after 5 s at most. */
  prepare(schemaIds: ReadonlySet<number>): Promise<void> | undefined {
    // While nothing is missing, nobody asks, so the registry may be back.
    const isKnownAway = this.#isAway && this.#schemas.size > 0;
    if (schemaIds.size === 0 || isKnownAway) return undefined;
    return this.#askWithin([...schemaIds].slice(0, maxPerRound));
  }

  /**
   * Resolves once the registry has answered for all schemas, also that it does not know them. Resolves earlier, but not
   * before `ms` have passed, if `mayGoOn` returns true.
   */
  async answered(ms: number, mayGoOn: () => boolean): Promise<void> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + ms;
    while (!this.#closing.signal.aborted && this.#schemas.values().some(isUnanswered)) {
      if (clock.monotonic() >= deadline && mayGoOn()) return;
      await sleep(clock, answeredPollMs, this.#closing.signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#retrying;
  }

  async #askWithin(schemaIds: readonly number[]): Promise<void> {
    const isAnswered = await within(this.#options.clock, firstAnswerMs, this.#askAll(schemaIds));
    if (!isAnswered) this.#isAway = true;
  }

  async #retry(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#schemas.size > 0 && !signal.aborted) {
      await sleep(this.#options.clock, roundMs, signal);
      await this.#askAll(this.#due());
    }
    this.#retrying = undefined;
  }

  /** Returns the schemas to ask for. While the registry is away, they are few, so that a round ends soon. */
  #due(): readonly number[] {
    for (const [schemaId, { values }] of this.#schemas) if (values.size === 0) this.#schemas.delete(schemaId);
    const now = this.#options.clock.monotonic();
    const due = [...this.#schemas].filter(([, { dueAt }]) => dueAt <= now);
    const oldest = due.toSorted(([, one], [, other]) => one.dueAt - other.dueAt);
    return oldest.slice(0, this.#isAway ? concurrentRequests : maxPerRound).map(([schemaId]) => schemaId);
  }

  async #askAll(schemaIds: readonly number[]): Promise<void> {
    const next = schemaIds.values();
    const work = async (): Promise<void> => {
      for (const schemaId of next) await this.#ask(schemaId);
    };
    await Promise.all(Array.from({ length: concurrentRequests }, work));
  }

  async #ask(schemaId: number): Promise<void> {
    const { ask, clock } = this.#options;
    const waitMs = this.#schemas.get(schemaId)?.waitMs ?? firstWaitMs;
    // Disposal does not wait for a registry that does not answer.
    const asked = unlessAborted(this.#closing.signal, ask(schemaId, waitMs));
    const answer = await asked.catch(() => undefined);
    if (answer === undefined) return;
    this.#isAway = answer === 'unreachable' || answer === 'refused';
    const schema = this.#schemas.get(schemaId);
    if (schema === undefined) return;
    if (answer === 'found') {
      await this.#apply(schemaId, schema);
      return;
    }
    schema.isUnknown = answer === 'unknown';
    schema.dueAt = clock.monotonic() + waitMs;
    schema.waitMs = Math.min(waitMs * 2, schema.isUnknown ? longestUnknownWaitMs : longestWaitMs);
  }

  async #apply(schemaId: number, { values }: MissingSchema): Promise<void> {
    let applied = 0;
    for (const [id, value] of values) {
      this.forget(id);
      this.#options.found(id, value);
      applied += 1;
      if (applied % maxPerTurn === 0) await setImmediate();
      if (this.#closing.signal.aborted) return;
    }
    // Deleted at the end, so that `forget` finds those that are about to be applied.
    this.#schemas.delete(schemaId);
  }
}

function newSchema(dueAt: number): MissingSchema {
  return { values: new Map(), dueAt, waitMs: firstWaitMs, isUnknown: false };
}

function isUnanswered({ isUnknown, values }: MissingSchema): boolean {
  return !isUnknown && values.size > 0;
}
