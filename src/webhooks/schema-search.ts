import { setImmediate } from 'node:timers/promises';
import type { FramedValues, SchemaAnswer } from '../certificates/framing.ts';
import { unlessAborted } from '../lib/aborted.ts';
import { sleep, within, type MonotonicClock } from '../lib/clock.ts';

interface SchemaSearchOptions {
  readonly framed: Pick<FramedValues, 'ask'>;
  /** Called for each configuration that still waits when its schema is there. */
  readonly found: (id: string) => void;
  /** Returns true if an owner is known under the configuration's id. Certificates are kept for that owner then. */
  readonly hasOwner: (id: string) => boolean;
  readonly clock: MonotonicClock;
}

interface MissingSchema {
  readonly waiting: Set<string>;
  /** Monotonic time of the next request. */
  dueAt: number;
  waitMs: number;
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
/** The longest hold by ids that a working registry does not give. A replica of it may lag behind by some seconds. */
const longestHoldMs = 60_000;
/** The time from the begin of such a hold to the next. Wrong ids that keep coming hold plans for 2 % of the time. */
const holdEveryMs = 3_600_000;
/** Configurations applied in one turn of the event loop. A schema may be that of all of them. */
const maxPerTurn = 200;

/**
 * Asks the registry for the schemas of configurations that could not be read. Owns the ids that wait, by schema, those that
 * hold plans, and the loop that asks.
 *
 * | State of a schema | Entered when                   | Asked again after                     | Holds plans  |
 * | ----------------- | ------------------------------ | ------------------------------------- | ------------ |
 * | unanswered        | `add`, or nothing gets answers | 0.5 s, doubled up to 15 s             | yes          |
 * | failing           | only this id gets no schema    | 0.5 s, doubled up to 15 s or 5 min    | for a minute |
 * | found             | the registry gave it           | never; its configurations are applied | no           |
 *
 * Only configurations hold plans whose owner is not known: their certificates would be settled as unclaimed. All failing ids
 * share one minute. `VersionReader` calls `add` and `forget` for each change, and `prepare` before it.
 *
 * Promises:
 * - The schemas that have waited longest are asked for first, and a bounded number at once. So ids that never appear delay
 *   others by some rounds at most.
 * - `prepare` delays nothing while the registry is away. Otherwise each new id would hold back all plans for 5 s.
 */
export class SchemaSearch implements AsyncDisposable {
  readonly #options: SchemaSearchOptions;
  readonly #schemas = new Map<number, MissingSchema>();
  readonly #closing = new AbortController();
  /** Configurations that hold all plans. */
  readonly #holding = new Set<string>();
  /** The time of the first question that a working registry did not answer with a schema. Undefined while it is away. */
  #failingSince: number | undefined;
  #isAway = false;
  #retrying: Promise<void> | undefined;

  constructor(options: SchemaSearchOptions) {
    this.#options = options;
  }

  add(id: string, schemaId: number): void {
    const { clock, hasOwner } = this.#options;
    const soon = clock.monotonic() + firstWaitMs;
    const schema = this.#schemas.get(schemaId) ?? { waiting: new Set(), dueAt: soon, waitMs: firstWaitMs };
    this.#schemas.set(schemaId, schema);
    schema.dueAt = Math.min(schema.dueAt, soon);
    schema.waiting.add(id);
    if (this.#isFailingFor(holdEveryMs)) this.#failingSince = undefined;
    if (!hasOwner(id)) this.#holding.add(id);
    this.#retrying ??= this.#retry();
  }

  /** Ends the wait of a configuration for this schema. */
  forget(id: string, schemaId: number): void {
    this.#schemas.get(schemaId)?.waiting.delete(id);
    this.#holding.delete(id);
  }

  /** The number of configurations that hold all plans. */
  get holding(): number {
    // For good: the registry may be away later, and whoever waits for nothing does not wait again.
    if (this.#isFailingFor(longestHoldMs)) this.#holding.clear();
    return this.#holding.size;
  }

  /** Asks for these schemas, unless the registry is away. Resolves once it has answered or failed, after 5 s at most. */
  prepare(schemaIds: ReadonlySet<number>): Promise<void> | undefined {
    // While nothing is missing, nobody asks, so the registry may be back.
    const isKnownAway = this.#isAway && this.#schemas.size > 0;
    if (schemaIds.size === 0 || isKnownAway) return undefined;
    const asked = this.#askAll([...schemaIds].slice(0, maxPerRound));
    return within(this.#options.clock, firstAnswerMs, asked).then((isAnswered) => {
      if (!isAnswered) this.#isAway = true;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#retrying;
  }

  async #retry(): Promise<void> {
    const { clock, hasOwner } = this.#options;
    const { signal } = this.#closing;
    while (this.#schemas.size > 0 && !signal.aborted) {
      await sleep(clock, roundMs, signal);
      for (const id of this.#holding) if (hasOwner(id)) this.#holding.delete(id);
      await this.#askAll(this.#due());
    }
    this.#retrying = undefined;
  }

  /** Returns the schemas to ask for. While the registry is away, they are few, so that a round ends soon. */
  #due(): readonly number[] {
    for (const [schemaId, { waiting }] of this.#schemas) if (waiting.size === 0) this.#schemas.delete(schemaId);
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
    const { framed, clock } = this.#options;
    const waitMs = this.#schemas.get(schemaId)?.waitMs ?? firstWaitMs;
    const askedAt = clock.monotonic();
    // Disposal does not wait for a registry that does not answer.
    const asked = unlessAborted(this.#closing.signal, framed.ask(schemaId, waitMs));
    const answer = await asked.catch(() => undefined);
    if (answer === undefined) return;
    this.#isAway = answer === 'away';
    const schema = this.#schemas.get(schemaId);
    if (schema === undefined) return;
    if (answer === 'found') return this.#apply(schemaId, schema);
    this.#postpone(schema, answer, askedAt);
  }

  #postpone(schema: MissingSchema, answer: SchemaAnswer, askedAt: number): void {
    if (answer === 'away') this.#failingSince = undefined;
    else if (this.#holding.size > 0) this.#failingSince ??= askedAt;
    const isRarelyAsked = answer === 'unknown' && this.holding === 0;
    schema.dueAt = this.#options.clock.monotonic() + schema.waitMs;
    schema.waitMs = Math.min(schema.waitMs * 2, isRarelyAsked ? longestUnknownWaitMs : longestWaitMs);
  }

  async #apply(schemaId: number, { waiting }: MissingSchema): Promise<void> {
    let applied = 0;
    for (const id of waiting) {
      const wasHolding = this.#holding.has(id);
      this.forget(id, schemaId);
      if (wasHolding && this.#holding.size === 0) this.#failingSince = undefined;
      this.#options.found(id);
      applied += 1;
      if (applied % maxPerTurn === 0) await setImmediate();
      if (this.#closing.signal.aborted) return;
    }
    // Deleted at the end, so that `forget` finds those that are about to be applied.
    this.#schemas.delete(schemaId);
  }

  #isFailingFor(ms: number): boolean {
    return this.#failingSince !== undefined && this.#options.clock.monotonic() - this.#failingSince >= ms;
  }
}
