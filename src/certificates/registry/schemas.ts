import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { compileSchema } from '../formats/compile.ts';
import type { Format, ReadResult } from '../formats/format.ts';
import type { RegistryFailure } from './answer.ts';
import type { FindSchema } from './registry-client.ts';
import { UnknownIds } from './unknown-ids.ts';

/** What is told of the schema registry. */
export interface SchemaRegistryEvents {
  /** It could not be asked, or answered no such question. What needs that schema waits. */
  schemaRegistryFailed(failed: {
    readonly schemaId: number;
    readonly failure: RegistryFailure;
    readonly reason: string;
    readonly retryInMs: number;
  }): void;
  /** It does not know the id. Without a next time, records with it are undecodable. */
  schemaUnknown(unknown: { readonly schemaId: number; readonly retryInMs: number | undefined }): void;
}

interface SchemasOptions {
  readonly find: FindSchema;
  readonly events: SchemaRegistryEvents;
  readonly clock: Clock;
}

const firstRetryMs = 500;
const longestRetryMs = 15_000;

/**
 * The schemas known so far, by id. What an id stands for never changes, so a schema that is known stays so, whatever
 * becomes of the registry; one that is not is asked for until there is an answer, by one question at a time.
 */
export class Schemas implements Disposable {
  readonly #options: SchemasOptions;
  readonly #formats = new Map<number, Format>();
  readonly #unknown = new UnknownIds();
  readonly #lookups = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: SchemasOptions) {
    this.#options = options;
  }

  /** Undefined while there is neither the schema nor the verdict that there is none. */
  formatOf(id: number): Format | undefined {
    const format = this.#formats.get(id);
    if (format !== undefined) return format;
    return this.#unknown.isGivenUp(id, this.#options.clock.now()) ? () => missing(id) : undefined;
  }

  /** Resolves once it is worth looking again. Never rejects; once this is closed, it never resolves either. */
  async lookUp(id: number): Promise<void> {
    const lookup = this.#lookups.get(id) ?? this.#ask(id).finally(() => this.#lookups.delete(id));
    this.#lookups.set(id, lookup);
    return lookup;
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #ask(id: number): Promise<void> {
    const { signal } = this.#closing;
    const backoff = new Backoff({ firstMs: firstRetryMs, longestMs: longestRetryMs });
    while (!signal.aborted) {
      const retryInMs = backoff.next();
      if (await this.#isAnswered(id, retryInMs)) return;
      await sleep(this.#options.clock, retryInMs, signal);
    }
    await new Promise<never>(() => undefined);
  }

  /** Asks once. */
  async #isAnswered(id: number, retryInMs: number): Promise<boolean> {
    const { find, events, clock } = this.#options;
    const answer = await find(id, this.#closing.signal);
    if (this.#closing.signal.aborted) return false;
    switch (answer.kind) {
      case 'found':
        this.#formats.set(id, compileSchema(answer.found));
        this.#unknown.forget(id);
        return true;
      case 'failed':
        events.schemaRegistryFailed({ schemaId: id, failure: answer.failure, reason: answer.reason, retryInMs });
        return false;
      case 'unknown': {
        this.#unknown.note(id, clock.now());
        const isGivenUp = this.#unknown.isGivenUp(id, clock.now());
        events.schemaUnknown({ schemaId: id, retryInMs: isGivenUp ? undefined : retryInMs });
        return isGivenUp;
      }
    }
  }
}

function missing(id: number): ReadResult {
  return { kind: 'undecodable', message: `the schema registry has no schema ${id}` };
}
