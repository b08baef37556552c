import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { printable, printableLines } from '../../lib/printable.ts';

/** The only way of a command to the standard streams. It escapes characters that would forge lines or move the cursor. */
export interface Terminal {
  /** Returns standard input. Opened by the first call. */
  readonly input: () => Readable;
  /** Prints one line, here and in `err`. */
  readonly out: (line: string) => void;
  /** Prints the lines of a file, with their tabs. */
  readonly document: (text: string) => void;
  /** Resolves once standard output has room for more lines. Commands that print without a limit wait for it. */
  readonly drained: () => Promise<void>;
  readonly err: (line: string) => void;
  /** Replaces the last line of standard error. Undefined if standard error is no terminal. */
  readonly bar: ((text: string) => void) | undefined;
  /** Aborts on SIGTERM and SIGINT, and with a {@link ReaderGoneError} once nobody reads standard output. */
  readonly signal: AbortSignal;
}

/** The reader of standard output is gone, such as `head` after its last line. The command ends without a message. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

export interface ProcessTerminal extends Terminal {
  /** Waits until all output is written, however slowly it is read. Returns the exit code, or 1 if output was lost. */
  readonly close: <Code extends number>(code: Code) => Promise<Code | 1>;
}

/** Opens the standard streams, each at its first use. */
export function openTerminal(
  stop: AbortController,
  streams: { readonly stdin: Readable; readonly stdout: Writable; readonly stderr: Writable } = process,
  isTerminal = isatty(2),
): ProcessTerminal {
  const eraseLine = isTerminal ? '\r\u001B[2K' : '';
  // Nothing can be printed about standard error.
  const stderr = new Output(
    () => streams.stderr,
    () => undefined,
  );
  let isLost = false;
  const stdout = new Output(
    () => streams.stdout,
    (error) => {
      const isReaderGone = error.code === 'EPIPE';
      if (!isReaderGone && !isLost) stderr.write(`error: standard output: ${error.code ?? error.name}\n`);
      isLost ||= !isReaderGone;
      stop.abort(new ReaderGoneError());
    },
  );
  return {
    input: () => streams.stdin,
    out: (line) => stdout.write(`${printable(line)}\n`),
    document: (text) => stdout.write(printableLines(text)),
    drained: async () => stdout.drained(),
    err: (line) => stderr.write(`${eraseLine}${printable(line)}\n`),
    bar: isTerminal ? (text) => stderr.write(`${eraseLine}${printable(text)}`) : undefined,
    signal: stop.signal,
    close: async (code) => {
      await stdout.written();
      await stderr.written();
      return isLost ? 1 : code;
    },
  };
}

/** A standard stream. What a slow reader has not taken yet waits in memory, and `process.exit` would drop it. */
class Output {
  readonly #open: () => Writable;
  readonly #failed: (error: NodeJS.ErrnoException) => void;
  /** Opened by the first write. Opening the pipe of `serve` would change it for the log, which has a stream of its own. */
  #stream: Writable | undefined;

  constructor(open: () => Writable, failed: (error: NodeJS.ErrnoException) => void) {
    this.#open = open;
    this.#failed = failed;
  }

  write(text: string): void {
    this.#stream ??= this.#open().on('error', this.#failed);
    this.#stream.write(text);
  }

  async drained(): Promise<void> {
    if (this.#stream?.writableNeedDrain === true) await this.written();
  }

  /** Resolves once everything is written, or can't be. */
  async written(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#stream === undefined) return;
    this.#stream.write('', () => resolve());
    await promise;
  }
}
