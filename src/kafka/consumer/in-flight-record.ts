import type { Clock } from '../../lib/clock.ts';
import type { Counted } from '../../lib/sliding-counter.ts';
import type { AssignmentLife, RecordLife } from '../../pipeline/ports.ts';
import type { AssignedPartition } from './assignment.ts';

export interface UnderWayParts {
  readonly assignment: AssignmentLife;
  readonly assigned: Pick<AssignedPartition, 'recent'>;
  readonly clock: Clock;
}

/** A record that was taken in. It counts among its partition's recent ones while there is something to do for it. */
export class RecordUnderWay implements RecordLife {
  readonly #parts: UnderWayParts;
  /** Deliveries that are neither settled nor set aside. */
  #inHand = 1;
  #counted: Counted | undefined;

  constructor(parts: UnderWayParts) {
    this.#parts = parts;
    this.#count();
  }

  get isOver(): boolean {
    return this.#parts.assignment.isOver;
  }

  isConfirmed(): boolean | Promise<boolean> {
    return this.#parts.assignment.isConfirmed();
  }

  becomes(deliveries: number): void {
    this.#inHand += deliveries - 1;
  }

  setAside(): void {
    this.#inHand -= 1;
    if (this.#inHand === 0) this.end();
  }

  takeUp(): void {
    this.#inHand += 1;
    if (this.#inHand === 1) this.#count();
  }

  /** It is settled, or let go. */
  end(): void {
    if (this.#counted !== undefined) this.#parts.assigned.recent.remove(this.#counted);
    this.#counted = undefined;
  }

  #count(): void {
    const { assigned, clock } = this.#parts;
    this.#counted = assigned.recent.add(clock.now());
  }
}
