import type { SourceRecord } from '../certificates/record.ts';
import type { AttemptListener, AttemptResult } from './attempts.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { DeliveryCursor, StartedDelivery } from '../flow/delivery-cursor.ts';
import type { DeliveryPlan } from '../deliveries/plan.ts';
import { recordResults, type Handled, type RecordContext, type RecordResult } from './ports.ts';

/** Handles the started deliveries of a record. */
export interface DeliveryHandler {
  /** Begins a delivery, which listens to its attempt. Without an attempt, returns what becomes of it. Does not throw. */
  begin(delivery: RunningDelivery): Promise<Handled> | undefined;
  /** Returns what becomes of a delivery after its attempt. */
  settle(delivery: RunningDelivery, result: AttemptResult): Handled | Promise<Handled>;
  /** Called in place of `end` of the record's context, with the first error of a delivery. */
  failed(fanOut: FanOut, error: unknown): void;
}

interface FanOutOptions {
  readonly record: SourceRecord;
  readonly plan: DeliveryPlan;
  readonly context: RecordContext;
  readonly handler: DeliveryHandler;
}

/**
 * The deliveries of one record: those that are not started, as a cursor of flow control, and the result of the others.
 *
 * Each delivery is created when the one before it starts. Ends the context of the record once all have ended. With several
 * results, the first one in `recordResults` is the record's.
 */
export class FanOut implements DeliveryCursor {
  readonly record: SourceRecord;
  readonly context: RecordContext;
  readonly handler: DeliveryHandler;
  readonly #plan: DeliveryPlan;
  #next: Delivery | undefined;
  #running = 0;
  #result: RecordResult = 'unclaimed';
  #isAbandoned = false;
  #failure: { readonly error: unknown } | undefined;

  /** Throws if the first delivery can't be created. */
  constructor({ record, plan, context, handler }: FanOutOptions) {
    this.record = record;
    this.context = context;
    this.handler = handler;
    this.#plan = plan;
    this.#next = plan.next();
  }

  get ownerId(): string {
    return this.#plan.ownerId;
  }

  get hasNext(): boolean {
    return this.#next !== undefined;
  }

  startNext(started: StartedDelivery): void {
    const delivery = this.#next;
    if (delivery === undefined) return started.end();
    this.#next = this.#take();
    this.#running += 1;
    new RunningDelivery(this, delivery, started).begin();
  }

  abandon(): void {
    this.#next = undefined;
    this.#isAbandoned = true;
    this.#endIfDone();
  }

  /** Notes what has become of a started delivery. Only the delivery calls this. */
  ended(handled: Handled): void {
    if (handled === 'abandoned') this.#isAbandoned = true;
    else if (recordResults.indexOf(handled) < recordResults.indexOf(this.#result)) this.#result = handled;
    this.#running -= 1;
    this.#endIfDone();
  }

  /** Notes that our own code threw. Only the delivery calls this. */
  failed(error: unknown): void {
    this.#failure ??= { error };
    this.#running -= 1;
    this.#endIfDone();
  }

  /** Creates the next delivery. If that throws, the record has failed, and has no further one. */
  #take(): Delivery | undefined {
    try {
      return this.#plan.next();
    } catch (error) {
      this.#failure ??= { error };
      return undefined;
    }
  }

  #endIfDone(): void {
    if (this.#next !== undefined || this.#running > 0) return;
    if (this.#failure !== undefined) this.handler.failed(this, this.#failure.error);
    else this.context.end(this.#isAbandoned ? 'abandoned' : this.#result);
  }
}

/** A delivery from its start until it is settled or abandoned. */
export class RunningDelivery implements AttemptListener {
  readonly delivery: Delivery;
  readonly started: StartedDelivery;
  readonly #fanOut: FanOut;

  constructor(fanOut: FanOut, delivery: Delivery, started: StartedDelivery) {
    this.#fanOut = fanOut;
    this.delivery = delivery;
    this.started = started;
  }

  get context(): RecordContext {
    return this.#fanOut.context;
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

  onResult(result: AttemptResult): void {
    let handled: Handled | Promise<Handled>;
    try {
      handled = this.#fanOut.handler.settle(this, result);
    } catch (error) {
      this.onError(error);
      return;
    }
    if (handled instanceof Promise) this.#endAfter(handled);
    else this.#end(handled);
  }

  onError(error: unknown): void {
    this.started.end();
    this.#fanOut.failed(error);
  }

  #begin(): void {
    const handled = this.#fanOut.handler.begin(this);
    if (handled !== undefined) this.#endAfter(handled);
  }

  #endAfter(handled: Promise<Handled>): void {
    void handled.then(
      (result) => this.#end(result),
      (error: unknown) => this.onError(error),
    );
  }

  #end(handled: Handled): void {
    this.started.end();
    this.#fanOut.ended(handled);
  }
}
