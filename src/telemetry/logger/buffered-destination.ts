import type { DestinationStream } from 'pino';
import type { Clock } from '../../lib/clock.ts';

const longestWaitMs = 50;

/** With as many characters no more is waited for than the end of the turn, and no text is much longer. */
const mostCharacters = 1024 * 1024;

/**
 * Gathers lines for a moment and passes them on as one text. pino's own destination writes once in a turn of the event loop:
 * for a process with little to say that is a system call a line, for one with a lot it is too little, 16 KiB. Nothing goes out
 * while lines are written: who says something and exits would have two writes at once, one of them on another thread.
 */
export class GatheredLines implements DestinationStream {
  readonly #pass: (lines: string) => void;
  readonly #clock: Clock;
  #texts: string[] = [];
  #lines = '';
  #timer: Disposable | undefined;

  constructor({ pass, clock }: { readonly pass: (lines: string) => void; readonly clock: Clock }) {
    this.#pass = pass;
    this.#clock = clock;
  }

  write(line: string): void {
    this.#timer ??= this.#clock.after(longestWaitMs, () => this.flush());
    this.#lines += line;
    if (this.#lines.length < mostCharacters) return;
    this.#texts.push(this.#lines);
    this.#lines = '';
    this.#timer[Symbol.dispose]();
    this.#timer = this.#clock.after(0, () => this.flush());
  }

  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const texts = [...this.#texts, this.#lines].filter((text) => text !== '');
    this.#texts = [];
    this.#lines = '';
    for (const text of texts) this.#pass(text);
  }
}
