import { Queue } from '../lib/queue.ts';
import type { Pool } from './delivery.ts';
import type { Gate } from './gate.ts';

/** Capacity for one kind of attempt, and the gates that wait for it in turn. */
export class SharedPool {
  readonly size: number;
  inFlight = 0;
  waiting = 0;
  draining = false;
  readonly #line = new Queue<Gate>();
  readonly #lined = new Set<Gate>();

  constructor(size: number) {
    this.size = size;
  }

  get free(): number {
    return this.size - this.inFlight;
  }

  /** Puts a gate that has somebody waiting at the end of the line, unless it stands there. */
  line(gate: Gate, pool: Pool): void {
    if (!gate.hasWaiting(pool) || this.#lined.has(gate)) return;
    this.#lined.add(gate);
    this.#line.push(gate);
  }

  nextGate(): Gate | undefined {
    const gate = this.#line.shift();
    if (gate !== undefined) this.#lined.delete(gate);
    return gate;
  }
}
