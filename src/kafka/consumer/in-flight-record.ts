import type { Clock } from '../../lib/clock.ts';
import type { CounterBucket } from '../../lib/sliding-counter.ts';
import type { AssignmentContext, RecordContext } from '../../pipeline/ports.ts';
import type { AssignedPartition } from './assignment.ts';

interface InFlightRecordOptions {
  readonly assignment: AssignmentContext;
  readonly assigned: Pick<AssignedPartition, 'recent'>;
  readonly clock: Clock;
}

/**
 * An admitted record that is not settled yet. It counts among its partition's recent records while one of its deliveries
 * is active. An active delivery waits for no endpoint, batch or broker.
 */
export class InFlightRecord implements RecordContext {
  readonly #options: InFlightRecordOptions;
  /** Deliveries that are neither settled nor waiting. One until the record is planned. */
  #active = 1;
  #bucket: CounterBucket | undefined;

  constructor(options: InFlightRecordOptions) {
    this.#options = options;
    this.#count();
  }

  get revoked(): boolean {
    return this.#options.assignment.revoked;
  }

  stillOwned(): boolean | Promise<boolean> {
    return this.#options.assignment.stillOwned();
  }

  expectDeliveries(deliveries: number): void {
    this.#active += deliveries - 1;
  }

  markWaiting(): void {
    this.#active -= 1;
    if (this.#active === 0) this.end();
  }

  markActive(): void {
    this.#active += 1;
    if (this.#active === 1) this.#count();
  }

  /** Removes the record from the recent ones. Called when it waits, and when it is settled or abandoned. */
  end(): void {
    if (this.#bucket !== undefined) this.#options.assigned.recent.remove(this.#bucket);
    this.#bucket = undefined;
  }

  #count(): void {
    const { assigned, clock } = this.#options;
    this.#bucket = assigned.recent.add(clock.now());
  }
}
