import type { SourceRecord } from '../certificates/record.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { DeliveryPlan } from '../deliveries/plan.ts';
import type { OwnerPart } from '../flow/delivery-run.ts';
import type { DeliveryCursor } from '../flow/window.ts';
import { recordResults, type Handled, type RecordContext, type RecordResult } from './ports.ts';
import { RunningDelivery, type DeliveryHandler, type DeliveryParent } from './running-delivery.ts';

/** Handles the deliveries of records. */
export interface RecordHandler extends DeliveryHandler {
  /** Called in place of `end` of the record's context, with the first error of a delivery. */
  failed(record: SourceRecord, context: RecordContext, error: unknown): void;
}

interface FanOutOptions {
  readonly record: SourceRecord;
  readonly plan: DeliveryPlan;
  readonly context: RecordContext;
  readonly handler: RecordHandler;
}

/**
 * The deliveries of one record: those that are not started, as a cursor of flow control, and the result of the others.
 *
 * Each delivery is created when the one before it starts. Ends the context of the record once all have ended. With several
 * results, the first one in `recordResults` is the record's.
 */
export class FanOut implements DeliveryCursor, DeliveryParent {
  readonly context: RecordContext;
  readonly handler: RecordHandler;
  readonly #record: SourceRecord;
  readonly #plan: DeliveryPlan;
  #next: Delivery | undefined;
  #running = 0;
  #result: RecordResult = 'unclaimed';
  #isAbandoned = false;
  #failure: { readonly error: unknown } | undefined;

  /** Throws if the first delivery can't be created. */
  constructor({ record, plan, context, handler }: FanOutOptions) {
    this.context = context;
    this.handler = handler;
    this.#record = record;
    this.#plan = plan;
    this.#next = plan.next();
  }

  get ownerId(): string {
    return this.#plan.ownerId;
  }

  get hasNext(): boolean {
    return this.#next !== undefined;
  }

  startNext(owner: OwnerPart): void {
    const delivery = this.#next;
    if (delivery === undefined) return;
    this.#next = this.#take();
    this.#running += 1;
    new RunningDelivery(this, delivery, owner).begin();
  }

  abandon(): void {
    this.#next = undefined;
    this.#isAbandoned = true;
    this.#endIfDone();
  }

  ended(handled: Handled): void {
    if (handled === 'abandoned') this.#isAbandoned = true;
    else if (recordResults.indexOf(handled) < recordResults.indexOf(this.#result)) this.#result = handled;
    this.#running -= 1;
    this.#endIfDone();
  }

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
    if (this.#failure !== undefined) this.handler.failed(this.#record, this.context, this.#failure.error);
    else this.context.end(this.#isAbandoned ? 'abandoned' : this.#result);
  }
}
