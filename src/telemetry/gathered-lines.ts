import type { DestinationStream } from 'pino';
import type { Clock } from '../lib/clock.ts';

const longestWaitMs = 50;

/** As many characters go out without waiting: what is gathered stays small. */
const mostCharacters = 1024 * 1024;

/**
 * Gathers lines for a moment and passes them on as one text. pino's own destination writes once in a turn of the event loop:
 * for a process with little to say that is a system call a line, for one with a lot it is too little, 16 KiB.
 */
export class GatheredLines implements DestinationStream {
  readonly #pass: (lines: string) => void;
  readonly #clock: Clock;
  #lines = '';
  #timer: Disposable | undefined;

  constructor({ pass, clock }: { readonly pass: (lines: string) => void; readonly clock: Clock }) {
    this.#pass = pass;
    this.#clock = clock;
  }

  write(line: string): void {
    this.#timer ??= this.#clock.after(longestWaitMs, () => this.flush());
    this.#lines += line;
    if (this.#lines.length >= mostCharacters) this.flush();
  }

  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#pass(lines);
  }
}
