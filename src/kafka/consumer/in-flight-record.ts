import type { HeldRecord } from '../../backpressure/partition-counts.ts';
import type { DeliveryCursor } from '../../deliveries/delivery-cursor.ts';
import type { AssignmentContext, RecordContext } from '../../pipeline/ports.ts';

interface InFlightRecordOptions {
  readonly assignment: AssignmentContext;
  readonly held: HeldRecord;
  readonly inLogSince: number;
}

/** An admitted record: its assignment, and its counts in flow control until `release`. */
export class InFlightRecord implements RecordContext {
  readonly inLogSince: number;
  readonly #assignment: AssignmentContext;
  readonly #held: HeldRecord;

  constructor({ assignment, held, inLogSince }: InFlightRecordOptions) {
    this.inLogSince = inLogSince;
    this.#assignment = assignment;
    this.#held = held;
  }

  get revoked(): boolean {
    return this.#assignment.revoked;
  }

  stillOwned(): boolean | Promise<boolean> {
    return this.#assignment.stillOwned();
  }

  start(deliveries: DeliveryCursor): void {
    this.#held.start(deliveries);
  }

  release(): void {
    this.#held.release();
  }
}
