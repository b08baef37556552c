import { hungAfterMs } from './eventually.ts';

/** A list of arrivals such as requests or log lines. Tests can wait for a number of them without polling. */
export class Arrivals<T> {
  readonly #name: string;
  readonly #arrived: T[] = [];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  /** The name is a singular noun for error messages. */
  constructor(name: string) {
    this.#name = name;
  }

  get soFar(): readonly T[] {
    return [...this.#arrived];
  }

  add(arrival: T): void {
    this.#arrived.push(arrival);
    for (const look of this.#waiting) look();
  }

  /** Waits for the first `count` arrivals. Rejects when the list is closed, or after `withinMs`. */
  first(count: number, withinMs = hungAfterMs): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      const settle = (run: () => void): void => {
        clearTimeout(deadline);
        this.#waiting.delete(look);
        run();
      };
      const look = (): void => {
        if (this.#arrived.length >= count) settle(() => resolve(this.#arrived.slice(0, count)));
        else if (this.#closed) settle(() => reject(this.#missing(count, 'before it was closed')));
      };
      const deadline = setTimeout(() => {
        settle(() => reject(this.#missing(count, `within ${withinMs} ms`)));
      }, withinMs);
      this.#waiting.add(look);
      look();
    });
  }

  /** Rejects all waiting calls, because nothing more will arrive. */
  close(): void {
    this.#closed = true;
    for (const look of this.#waiting) look();
  }

  #missing(count: number, when: string): Error {
    return new Error(`Waited for ${this.#name} number ${count}; ${this.#arrived.length} arrived ${when}.`);
  }
}
