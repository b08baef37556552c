import type { Clock } from '../../lib/clock.ts';
import type { Counted } from '../../lib/sliding-counter.ts';
import type { AssignmentContext, RecordContext } from '../../pipeline/ports.ts';
import type { AssignedPartition } from './assignment.ts';

export interface InFlightRecordOptions {
  readonly assignment: AssignmentContext;
  readonly assigned: Pick<AssignedPartition, 'recent'>;
  readonly clock: Clock;
}

/** A record that was taken in. It counts among its partition's recent ones while there is something to do for it. */
export class InFlightRecord implements RecordContext {
  readonly #options: InFlightRecordOptions;
  /** Deliveries that are neither settled nor set aside. */
  #inHand = 1;
  #counted: Counted | undefined;

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
    this.#inHand += deliveries - 1;
  }

  markWaiting(): void {
    this.#inHand -= 1;
    if (this.#inHand === 0) this.end();
  }

  markActive(): void {
    this.#inHand += 1;
    if (this.#inHand === 1) this.#count();
  }

  /** It is settled, or let go. */
  end(): void {
    if (this.#counted !== undefined) this.#options.assigned.recent.remove(this.#counted);
    this.#counted = undefined;
  }

  #count(): void {
    const { assigned, clock } = this.#options;
    this.#counted = assigned.recent.add(clock.now());
  }
}
