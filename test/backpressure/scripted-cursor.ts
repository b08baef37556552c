import type { DeliveryCursor, StartedDelivery } from '../../src/deliveries/delivery-cursor.ts';

/** The deliveries of one record. The test decides what each of them waits for, and ends them. */
export class ScriptedCursor implements DeliveryCursor {
  /** The deliveries that have started, in order. */
  readonly started: StartedDelivery[] = [];
  isAbandoned = false;
  readonly #onStart: (started: StartedDelivery) => void;
  #left: number;

  constructor(deliveries: number, onStart: (started: StartedDelivery) => void = () => undefined) {
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
