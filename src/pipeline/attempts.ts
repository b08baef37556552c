import { SwapList, type SwapListEntry } from '../lib/swap-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { Delivery, Pool } from '../deliveries/delivery.ts';
import type { DeliveryProgress } from '../flow/delivery-cursor.ts';
import type { Entry, Permit } from '../flow/line.ts';
import type { Gates } from '../flow/gates.ts';
import { lookUp } from '../deliveries/look-up.ts';
import type { Outcome, RequestOutcome } from '../deliveries/outcome.ts';
import type { InFlight, RequestHead, RequestHeads, RequestListener, Sender } from '../deliveries/request.ts';

export interface AttemptResult {
  readonly outcome: Outcome;
  /** The wall time when the request was sent, or refused. */
  readonly startedAt: number;
  /** The time from then until the outcome was known. */
  readonly durationMs: number;
}

/** Gets one call for each attempt, perhaps before `attempt` returns. */
export interface AttemptListener {
  /** Returns whether the delivery may still be made here. Called after a wait for a permit. */
  stillOwned(): boolean | Promise<boolean>;
  /** Must not throw. */
  onResult(result: AttemptResult): void;
  /** Called in place of `onResult` when our own code threw. */
  onError(error: unknown): void;
}

interface AttemptsOptions {
  readonly directory: Directory;
  readonly gates: Gates;
  readonly http: Sender;
  readonly heads: RequestHeads;
  readonly clock: Clock;
  /** Looks at the certificate of an endpoint after each request. */
  readonly certificates?: { check(delivery: Delivery, origin: string): void };
}

/** The parts that all attempts share. */
interface AttemptContext extends AttemptsOptions {
  readonly inFlight: Readonly<Record<Pool, SwapList<InFlight>>>;
  readonly createHead: (webhook: Webhook) => RequestHead;
}

/**
 * Makes one attempt at a delivery, the first or a later one. Owns the requests in flight, separately for each pool.
 *
 * 1. Looks up the webhook. Without an active webhook the outcome is a refusal, and no request is made.
 * 2. Acquires a permit from the endpoint's gate. This may take up to `DELIVERY_TIMEOUT`, or end in a refusal.
 * 3. After a wait, asks the listener whether the delivery is still ours, because its partition may be another process's by now.
 *    Until that is known, the permit is for others. The delivery then starts over at 1, or its outcome is `draining`.
 * 4. Looks up the webhook again, because its configuration may have changed during the wait.
 * 5. Sends the request and waits for its outcome. If that takes a new connection, the listener is asked once more.
 * 6. Releases the permit with the outcome, or with undefined when no request was sent.
 *
 * The pipeline calls `attempt`. The intakes call `abort` when a drained pool has used up its time.
 *
 * Promises:
 * - Each permit is released exactly once, also when building or sending the request throws. Otherwise its part of the
 *   capacity would be lost for ever.
 * - After `abort`, each request of the pool ends with `draining`, unless its outcome was known before.
 *
 * An attempt listens for its outcome. Promises in its place took 1.2 KB more for each delivery, a twentieth of its heap.
 */
export class Attempts {
  readonly #context: AttemptContext;

  constructor(options: AttemptsOptions) {
    this.#context = {
      ...options,
      inFlight: { first: new SwapList(), retry: new SwapList() },
      createHead: (webhook) => options.heads.headOf(webhook.endpoint()),
    };
  }

  attempt(delivery: Delivery, pool: Pool, progress: DeliveryProgress, listener: AttemptListener): void {
    new Attempt(this.#context, delivery, pool, listener).begin(progress);
  }

  /** Aborts the requests of the pool that are in flight. */
  abort(pool: Pool): void {
    for (const request of this.#context.inFlight[pool]) request.abort();
  }
}

class Attempt implements RequestListener {
  readonly #context: AttemptContext;
  readonly #delivery: Delivery;
  readonly #pool: Pool;
  readonly #listener: AttemptListener;
  #permit: Permit | undefined;
  #listed: SwapListEntry<InFlight> | undefined;
  #origin = '';
  #startedAt = 0;
  /** The monotonic time of `#startedAt`. */
  #sentAt = 0;

  constructor(context: AttemptContext, delivery: Delivery, pool: Pool, listener: AttemptListener) {
    this.#context = context;
    this.#delivery = delivery;
    this.#pool = pool;
    this.#listener = listener;
  }

  begin(progress: DeliveryProgress): void {
    const { directory, gates } = this.#context;
    try {
      const webhook = lookUp(this.#delivery, directory);
      if ('kind' in webhook) return this.#refuse(webhook);
      const { plannedAt, lastFailure } = this.#delivery;
      const backSince = lastFailure?.reason === 'overloaded' ? plannedAt : undefined;
      const entry = gates.acquire(webhook, { pool: this.#pool, progress, backSince });
      // A permit at once needs no promise.
      if (entry instanceof Promise) void entry.then((later) => this.#enterIfOwned(later, progress));
      else this.#enter(entry);
    } catch (error) {
      this.#fail(error);
    }
  }

  onOutcome(outcome: RequestOutcome): void {
    const { inFlight, clock, certificates } = this.#context;
    if (this.#listed !== undefined) inFlight[this.#pool].delete(this.#listed);
    certificates?.check(this.#delivery, this.#origin);
    this.#end(outcome, outcome, Math.round(clock.monotonic() - this.#sentAt));
  }

  onExceeded(): void {
    this.#permit?.withdraw();
  }

  holdMs(): number {
    return this.#permit?.gate.pacer?.write(this.#context.clock.monotonic()) ?? 0;
  }

  stillOwned(): boolean | Promise<boolean> {
    return this.#listener.stillOwned();
  }

  #enterIfOwned(entry: Entry, progress: DeliveryProgress): void {
    if (entry.kind === 'refused') return this.#refuse(entry.outcome);
    const isOwned = this.#listener.stillOwned();
    if (isOwned === true) return this.#enter(entry);
    entry.release(undefined);
    void Promise.resolve(isOwned).then((is) => (is ? this.begin(progress) : this.#refuse({ kind: 'draining' })));
  }

  #enter(entry: Entry): void {
    if (entry.kind === 'refused') return this.#refuse(entry.outcome);
    const { directory, clock, http, heads, createHead, inFlight } = this.#context;
    const delivery = this.#delivery;
    this.#permit = entry;
    try {
      this.#startedAt = clock.now();
      this.#sentAt = clock.monotonic();
      const webhook = lookUp(delivery, directory);
      if ('kind' in webhook) return this.#end(webhook, undefined, 0);
      entry.gate.updateWebhook(webhook, this.#sentAt);
      const head = entry.gate.head(createHead);
      this.#origin = head.origin;
      const request = http.send({ head, extraHeaders: heads.headersOf(delivery, head), body: delivery.body }, this);
      this.#listed = inFlight[this.#pool].add(request);
    } catch (error) {
      this.#fail(error);
    }
  }

  #refuse(outcome: Outcome): void {
    this.#listener.onResult({ outcome, startedAt: this.#context.clock.now(), durationMs: 0 });
  }

  #end(outcome: Outcome, released: RequestOutcome | undefined, durationMs: number): void {
    try {
      this.#permit?.release(released);
    } catch (error) {
      this.#listener.onError(error);
      return;
    }
    this.#listener.onResult({ outcome, startedAt: this.#startedAt, durationMs });
  }

  #fail(error: unknown): void {
    this.#permit?.release(undefined);
    this.#listener.onError(error);
  }
}
