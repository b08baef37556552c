import type { EndpointChange, GateEvents } from '../deliveries/gates/gates.ts';

/** Passes each change of a circuit on. The gates exist before those who publish their changes. */
export class CircuitListeners implements GateEvents {
  readonly #listeners: GateEvents[];

  constructor(first: GateEvents) {
    this.#listeners = [first];
  }

  add(listener: GateEvents): void {
    this.#listeners.push(listener);
  }

  circuitChanged(change: EndpointChange): void {
    for (const listener of this.#listeners) listener.circuitChanged(change);
  }
}
