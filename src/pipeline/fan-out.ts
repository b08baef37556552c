import type { Delivery } from '../deliveries/delivery.ts';
import type { DeliveryCursor, StartedDelivery } from '../deliveries/delivery-cursor.ts';
import { recordResults, type AssignmentContext, type Handled, type RecordResult } from './ports.ts';

interface FanOutOptions {
  readonly context: AssignmentContext;
  /** Handles one started delivery to its result. */
  readonly deliver: (delivery: Delivery, started: StartedDelivery) => Promise<Handled>;
}

/**
 * The deliveries of one record: those that are not started, as a cursor of flow control, and the result of the others.
 *
 * Each delivery is created when it starts. `handled` resolves once all have ended, or rejects with the first error then.
 * With several results, the first one in `recordResults` is the record's.
 */
export class FanOut implements DeliveryCursor {
  readonly ownerId: string;
  readonly #deliveries: Iterator<Delivery>;
  readonly #context: AssignmentContext;
  readonly #deliver: FanOutOptions['deliver'];
  readonly #handled = Promise.withResolvers<Handled>();
  #next: Delivery | undefined;
  #running = 0;
  #result: RecordResult = 'unclaimed';
  #isAbandoned = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(ownerId: string, deliveries: Iterable<Delivery>, { context, deliver }: FanOutOptions) {
    this.ownerId = ownerId;
    this.#deliveries = deliveries[Symbol.iterator]();
    this.#context = context;
    this.#deliver = deliver;
    this.#next = this.#take();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  get handled(): Promise<Handled> {
    return this.#handled.promise;
  }

  get hasNext(): boolean {
    return this.#next !== undefined;
  }

  startNext(started: StartedDelivery): void {
    const delivery = this.#next;
    if (delivery === undefined) return started.end();
    this.#next = this.#take();
    this.#running += 1;
    void this.#run(delivery, started);
  }

  abandon(): void {
    this.#next = undefined;
    this.#isAbandoned = true;
    this.#settleIfDone();
  }

  /** Creates the next delivery. If that throws, the record has failed, and has no further one. */
  #take(): Delivery | undefined {
    try {
      const { done, value } = this.#deliveries.next();
      return done === true ? undefined : value;
    } catch (error) {
      this.#failure ??= { error };
      return undefined;
    }
  }

  async #run(delivery: Delivery, started: StartedDelivery): Promise<void> {
    try {
      // The record may have waited for its turn. Two processes must not make the same delivery.
      const isOwned = this.#context.stillOwned();
      const handled = isOwned === true || (await isOwned) ? await this.#deliver(delivery, started) : 'abandoned';
      this.#add(handled);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running -= 1;
      started.end();
      this.#settleIfDone();
    }
  }

  #add(handled: Handled): void {
    if (handled === 'abandoned') this.#isAbandoned = true;
    else if (recordResults.indexOf(handled) < recordResults.indexOf(this.#result)) this.#result = handled;
  }

  #settleIfDone(): void {
    if (this.#next !== undefined || this.#running > 0) return;
    if (this.#failure !== undefined) this.#handled.reject(this.#failure.error);
    else this.#handled.resolve(this.#isAbandoned ? 'abandoned' : this.#result);
  }
}
