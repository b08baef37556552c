import { readFile } from 'node:fs/promises';
import type { MonotonicClock } from '../../lib/clock.ts';

/** The time after which a file is read again. Such files change rarely. */
export const fileLifetimeMs = 30_000;

/** A file of the system. Read again when it is stale; one that cannot be read counts as empty. */
export class SystemFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #clock: MonotonicClock;
  #latest: { readonly content: Promise<T>; readonly staleAt: number } | undefined;

  constructor(path: string, parse: (text: string) => T, clock: MonotonicClock) {
    this.#path = path;
    this.#parse = parse;
    this.#clock = clock;
  }

  read(): Promise<T> {
    const now = this.#clock.monotonic();
    if (this.#latest === undefined || this.#latest.staleAt <= now) {
      const content = readFile(this.#path, 'utf8').then(this.#parse, () => this.#parse(''));
      this.#latest = { content, staleAt: now + fileLifetimeMs };
    }
    return this.#latest.content;
  }
}
