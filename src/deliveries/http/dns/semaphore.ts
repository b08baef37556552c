import type { Clock } from '../../../lib/clock.ts';

interface SemaphoreOptions {
  readonly limit: number;
  /** A turn ends by then, whether or not its holder is done. */
  readonly longestMs: number;
  readonly clock: Clock;
}

/** Lets a limited number in at once; whoever comes after waits for a turn to end, first come, first served. */
export class Semaphore {
  readonly #limit: number;
  readonly #longestMs: number;
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor({ limit, longestMs, clock }: SemaphoreOptions) {
    this.#limit = limit;
    this.#longestMs = longestMs;
    this.#clock = clock;
  }

  /** Resolves to what the holder disposes to leave, also when its turn is over already. */
  async acquire(): Promise<Disposable> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    const turn = new DisposableStack();
    turn.defer(() => this.#leave());
    turn.use(this.#clock.after(this.#longestMs, () => turn.dispose()));
    return turn;
  }

  /** A turn goes on from hand to hand while someone waits. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}
