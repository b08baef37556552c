/** Lets a limited number in at once; whoever comes after waits for one to leave, first come, first served. */
export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves to what the holder disposes to leave. */
  async take(): Promise<Disposable> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** A turn goes on from hand to hand while someone waits. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}
