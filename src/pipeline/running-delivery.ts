import type { AttemptResult } from '../deliveries/attempt-result.ts';
import type { Delivery, Pool } from '../deliveries/delivery.ts';
import { lookUp } from '../deliveries/plan.ts';
import type { Outcome, RequestOutcome } from '../deliveries/outcome.ts';
import type { InFlight, RequestHead, RequestHeads, RequestListener, Sender } from '../deliveries/request.ts';
import { DeliveryRun, type OwnerPart } from '../flow/delivery-run.ts';
import type { Gates } from '../flow/gates.ts';
import type { Clock } from '../lib/clock.ts';
import { SwapList, type SwapListEntry } from '../lib/swap-list.ts';
import type { Directory, Webhook } from '../webhooks/webhook.ts';
import type { Handled, RecordContext } from './ports.ts';

/** Handles the started deliveries of a record. */
export interface DeliveryHandler {
  readonly pool: Pool;
  /** Begins a delivery, which gets the result of its attempt. Without an attempt, returns what becomes of it. Does not throw. */
  begin(delivery: RunningDelivery): Promise<Handled> | undefined;
  settle(delivery: RunningDelivery, result: AttemptResult): Handled | Promise<Handled>;
}

/** The record of a delivery. */
export interface DeliveryParent {
  readonly context: RecordContext;
  readonly handler: DeliveryHandler;
  /** Notes what has become of a started delivery. */
  ended(handled: Handled): void;
  /** Notes that our own code threw. */
  failed(error: unknown): void;
}

/** The parts that all attempts share. */
export interface AttemptContext {
  readonly directory: Directory;
  readonly gates: Gates;
  readonly http: Sender;
  readonly heads: RequestHeads;
  readonly clock: Clock;
  /** Looks at the certificate of an endpoint after each request. */
  readonly certificates?: { check(delivery: Delivery, origin: string): void };
  readonly inFlight: Readonly<Record<Pool, SwapList<InFlight>>>;
  readonly createHead: (webhook: Webhook) => RequestHead;
}

/**
 * A delivery from its start until it is settled or abandoned: the one object of a delivery in flight. `DeliveryRun` counts what it
 * occupies. This part makes its attempt, as `Attempts` says, and passes the result to the pipeline.
 *
 * `Gates` calls it with the permit, and the HTTP client with the outcome of the request. Promises in place of these two calls took
 * 1.2 KB more for each delivery.
 */
export class RunningDelivery extends DeliveryRun implements RequestListener {
  readonly delivery: Delivery;
  readonly #parent: DeliveryParent;
  /** Gets the result in place of the handler. */
  #onResult: ((result: AttemptResult) => void) | undefined;
  #attempts: AttemptContext | undefined;
  #listed: SwapListEntry<InFlight> | undefined;
  #origin = '';
  #startedAt = 0;
  /** The monotonic time of `#startedAt`. */
  #sentAt = 0;

  constructor(parent: DeliveryParent, delivery: Delivery, owner: OwnerPart) {
    super(owner);
    this.#parent = parent;
    this.delivery = delivery;
  }

  get pool(): Pool {
    return this.#parent.handler.pool;
  }

  get backSince(): number | undefined {
    const { plannedAt, lastFailure } = this.delivery;
    return lastFailure?.reason === 'overloaded' ? plannedAt : undefined;
  }

  get context(): RecordContext {
    return this.#parent.context;
  }

  stillOwned(): boolean | Promise<boolean> {
    return this.context.stillOwned();
  }

  begin(): void {
    // The record may have waited for its turn. Two processes must not make the same delivery.
    const isOwned = this.stillOwned();
    if (isOwned === true) this.#begin();
    else void Promise.resolve(isOwned).then((is) => (is ? this.#begin() : this.#end('abandoned')));
  }

  /** Makes an attempt. `onResult` gets its result in place of the handler. */
  attempt(context: AttemptContext, onResult?: (result: AttemptResult) => void): void {
    this.#attempts = context;
    this.#onResult = onResult;
    try {
      const webhook = lookUp(this.delivery, context.directory);
      if ('kind' in webhook) return this.refused(webhook);
      const answer = context.gates.acquire(webhook, this);
      if (answer === 'permit') this.#send(context);
      else if (answer !== 'waits') this.refused(answer);
    } catch (error) {
      this.onError(error);
    }
  }

  onOutcome(outcome: RequestOutcome): void {
    const { inFlight, clock, certificates } = this.#context;
    if (this.#listed !== undefined) inFlight[this.pool].delete(this.#listed);
    certificates?.check(this.delivery, this.#origin);
    this.#answered(outcome, outcome, Math.round(clock.monotonic() - this.#sentAt));
  }

  onExceeded(): void {
    this.#context.gates.withdraw(this);
  }

  holdMs(): number {
    return this.gate.pacer?.write(this.#context.clock.monotonic()) ?? 0;
  }

  onResult(result: AttemptResult): void {
    let handled: Handled | Promise<Handled>;
    try {
      if (this.#onResult !== undefined) return this.#onResult(result);
      handled = this.#parent.handler.settle(this, result);
    } catch (error) {
      return this.onError(error);
    }
    if (handled instanceof Promise) this.#endAfter(handled);
    else this.#end(handled);
  }

  onError(error: unknown): void {
    this.end();
    this.#parent.failed(error);
  }

  protected permitted(): void {
    const context = this.#context;
    const isOwned = this.stillOwned();
    if (isOwned === true) return this.#send(context);
    context.gates.release(this, undefined);
    void Promise.resolve(isOwned).then((is) =>
      is ? this.attempt(context, this.#onResult) : this.refused({ kind: 'draining' }),
    );
  }

  protected refused(outcome: Outcome): void {
    this.onResult({ outcome, startedAt: this.#context.clock.now(), durationMs: 0 });
  }

  get #context(): AttemptContext {
    if (this.#attempts === undefined) throw new Error('no attempt has begun');
    return this.#attempts;
  }

  #begin(): void {
    const handled = this.#parent.handler.begin(this);
    if (handled !== undefined) this.#endAfter(handled);
  }

  #send(context: AttemptContext): void {
    const { directory, clock, http, heads, createHead, inFlight } = context;
    const { delivery, gate } = this;
    try {
      this.#startedAt = clock.now();
      this.#sentAt = clock.monotonic();
      const webhook = lookUp(delivery, directory);
      if ('kind' in webhook) return this.#answered(webhook, undefined, 0);
      gate.updateWebhook(webhook, this.#sentAt);
      const head = gate.head(createHead);
      this.#origin = head.origin;
      const request = http.send({ head, extraHeaders: heads.headersOf(delivery, head), body: delivery.body }, this);
      this.#listed = inFlight[this.pool].add(request);
    } catch (error) {
      context.gates.release(this, undefined);
      this.onError(error);
    }
  }

  /** Gives the permit back, with the outcome of its request if there was one. */
  #answered(outcome: Outcome, released: RequestOutcome | undefined, durationMs: number): void {
    try {
      this.#context.gates.release(this, released);
    } catch (error) {
      return this.onError(error);
    }
    this.onResult({ outcome, startedAt: this.#startedAt, durationMs });
  }

  #endAfter(handled: Promise<Handled>): void {
    void handled.then(
      (result) => this.#end(result),
      (error: unknown) => this.onError(error),
    );
  }

  #end(handled: Handled): void {
    this.end();
    this.#parent.ended(handled);
  }
}

type AttemptsOptions = Omit<AttemptContext, 'inFlight' | 'createHead'>;

/**
 * Makes one attempt at a delivery, the first or a later one. Owns the requests in flight, separately for each pool.
 *
 * 1. Looks up the webhook. Without an active webhook the outcome is a refusal, and no request is made.
 * 2. Acquires a permit from the endpoint's gate. This may take up to `DELIVERY_TIMEOUT`, or end in a refusal.
 * 3. After a wait, asks whether the delivery is still ours, because its partition may be another process's by now.
 *    Until that is known, the permit is for others. The delivery then starts over at 1, or its outcome is `draining`.
 * 4. Looks up the webhook again, because its configuration may have changed during the wait.
 * 5. Sends the request and waits for its outcome. If that takes a new connection, it asks once more.
 * 6. Releases the permit with the outcome, or with undefined when no request was sent.
 *
 * The pipeline calls `attempt`. The intakes call `abort` when a drained pool has used up its time.
 *
 * Promises:
 * - Each permit is released exactly once, also when building or sending the request throws. Otherwise its part of the
 *   capacity would be lost for ever.
 * - After `abort`, each request of the pool ends with `draining`, unless its outcome was known before.
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

  /** Makes an attempt. Its result goes to the delivery itself, or to `onResult`, perhaps before this returns. */
  attempt(delivery: RunningDelivery, onResult?: (result: AttemptResult) => void): void {
    delivery.attempt(this.#context, onResult);
  }

  abort(pool: Pool): void {
    for (const request of this.#context.inFlight[pool]) request.abort();
  }
}
