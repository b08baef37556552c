import type { DestinationStream } from 'pino';

/** As many characters go out without waiting for the end of the turn: what is gathered stays small. */
const mostCharacters = 1024 * 1024;

/**
 * Gathers the lines of one turn of the event loop and passes them on as one text. pino's own destination puts them into
 * blocks of 16 KiB, looks through the block for each line, and writes one block a turn: a busy process has more to say.
 */
export class GatheredLines implements DestinationStream {
  readonly #pass: (lines: string) => void;
  #lines = '';

  constructor(pass: (lines: string) => void) {
    this.#pass = pass;
  }

  write(line: string): void {
    if (this.#lines === '') setImmediate(() => this.flush());
    this.#lines += line;
    if (this.#lines.length >= mostCharacters) this.flush();
  }

  flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#pass(lines);
  }
}
