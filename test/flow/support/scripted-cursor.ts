import type { OwnerPart } from '../../../src/flow/delivery-run.ts';
import type { DeliveryCursor } from '../../../src/flow/window.ts';

/** A started delivery whose changes the test decides. */
export class StartedDelivery {
  readonly #owner: OwnerPart;
  #active = 1;
  #outside = 0;

  constructor(owner: OwnerPart) {
    this.#owner = owner;
    owner.count(1, 1, 0);
  }

  leaveWindow(): void {
    if (this.#active === 0) return;
    this.#active = 0;
    this.#owner.count(0, -1, 0);
    this.#owner.wake();
  }

  markOutsideRoom(isOutside: boolean): void {
    if (isOutside === this.#outside > 0) return;
    this.#outside = Number(isOutside);
    this.#owner.count(0, 0, isOutside ? 1 : -1);
    if (!isOutside) this.#owner.wake();
  }

  end(): void {
    this.#owner.count(-1, -this.#active, -this.#outside);
    this.#active = 0;
    this.#outside = 0;
    this.#owner.wake();
  }
}

interface ScriptedCursorOptions {
  readonly ownerId?: string;
  /** Called when a delivery starts. */
  readonly onStart?: (started: StartedDelivery) => void;
}

/** The deliveries of one record. The test decides what each of them waits for, and ends them. */
export class ScriptedCursor implements DeliveryCursor {
  /** The deliveries that have started, in order. */
  readonly started: StartedDelivery[] = [];
  readonly ownerId: string;
  isAbandoned = false;
  readonly #onStart: (started: StartedDelivery) => void;
  #left: number;

  constructor(deliveries: number, { ownerId = 'owner', onStart = () => undefined }: ScriptedCursorOptions = {}) {
    this.ownerId = ownerId;
    this.#left = deliveries;
    this.#onStart = onStart;
  }

  get hasNext(): boolean {
    return this.#left > 0;
  }

  startNext(owner: OwnerPart): void {
    this.#left -= 1;
    const started = new StartedDelivery(owner);
    this.started.push(started);
    this.#onStart(started);
  }

  abandon(): void {
    this.#left = 0;
    this.isAbandoned = true;
  }
}
