import { sleep, type Clock } from '../../lib/clock.ts';

type Ends = ReadonlyMap<number, number>;
type Waiters = PromiseWithResolvers<void>;

interface CatchUpOptions {
  /** Asks where the topic ends now, for as long as that takes; undefined once it is closed. */
  readonly ask: () => Promise<Ends | undefined>;
  readonly hasReached: (ends: Ends) => boolean;
  readonly clock: Clock;
}

/**
 * Between two questions: as long as the last one took, within these. A broker at hand is asked again soon, for a record's
 * sake; one that has much to do, or a process that has, is not asked a thousand times a second.
 */
const shortestSpacingMs = 1;
const longestSpacingMs = 5;

/**
 * Who waits for a reader to reach the end that its topic has now. The end is asked for by one question at a time,
 * shared by all that wait for the next one: a call that comes while a question is out may be about a record that the
 * answer does not know.
 */
export class CatchUp {
  readonly #options: CatchUpOptions;
  /** They share the next question. */
  #nextWaiters: Waiters | undefined;
  #isAsking = false;
  /** In the order of their questions, so that the first one is reached first. */
  #pending: { readonly ends: Ends; readonly waiters: Waiters }[] = [];
  /** Changes when ends stop meaning anything, because the topic is another one. */
  #epoch = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The last question. */
  #tookMs = 0;
  readonly #closing = new AbortController();
  #closed: Error | undefined;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** Resolves once the reader has reached an end asked for after this call. Rejects only when closed. */
  caughtUp(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#nextWaiters ??= Promise.withResolvers();
    const { promise } = this.#nextWaiters;
    if (!this.#isAsking) void this.#ask();
    return promise;
  }

  /** The reader got on. */
  progressed(): void {
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      if (!this.#options.hasReached(first.ends)) return;
      this.#pending.shift();
      first.waiters.resolve();
    }
  }

  /** The reader starts over: whoever waits is asked for again. */
  restarted(): void {
    this.#epoch += 1;
    const behind = this.#pending;
    this.#pending = [];
    for (const { waiters } of behind) this.#postpone(waiters);
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#closing.abort();
    this.#nextWaiters?.reject(reason);
    for (const { waiters } of this.#pending) waiters.reject(reason);
    this.#pending = [];
  }

  async #ask(): Promise<void> {
    const { ask, clock } = this.#options;
    this.#isAsking = true;
    // What one fetch has brought comes partition by partition, all in one turn of the event loop.
    await sleep(clock, 0, this.#closing.signal);
    while (this.#nextWaiters !== undefined) {
      await this.#pace();
      if (this.#closing.signal.aborted) break;
      const waiters = this.#nextWaiters;
      this.#nextWaiters = undefined;
      const era = this.#epoch;
      const askedAt = clock.now();
      const ends = await ask();
      this.#answeredAt = clock.now();
      this.#tookMs = this.#answeredAt - askedAt;
      if (this.#closed !== undefined) waiters.reject(this.#closed);
      else if (ends === undefined || era !== this.#epoch) this.#postpone(waiters);
      else this.#pending.push({ ends, waiters });
      this.progressed();
    }
    this.#isAsking = false;
  }

  async #pace(): Promise<void> {
    const { clock } = this.#options;
    const spacingMs = Math.min(Math.max(this.#tookMs, shortestSpacingMs), longestSpacingMs);
    const waitMs = Math.min(this.#answeredAt + spacingMs - clock.now(), spacingMs);
    if (waitMs > 0) await sleep(clock, waitMs, this.#closing.signal);
  }

  #postpone(waiters: Waiters): void {
    if (this.#nextWaiters === undefined) this.#nextWaiters = waiters;
    else this.#nextWaiters.promise.then(waiters.resolve, waiters.reject);
    if (!this.#isAsking) void this.#ask();
  }
}
