import type { DeliveryCursor, StartedDelivery } from '../../../src/flow/delivery-cursor.ts';

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

  startNext(started: StartedDelivery): void {
    this.#left -= 1;
    this.started.push(started);
    this.#onStart(started);
  }

  abandon(): void {
    this.#left = 0;
    this.isAbandoned = true;
  }
}
