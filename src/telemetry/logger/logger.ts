import {
  destination as openDestination,
  pino,
  stdTimeFunctions,
  type DestinationStream,
  type LevelWithSilent,
  type Logger,
  symbols,
} from 'pino';
import { systemClock, type MonotonicClock } from '../../lib/clock.ts';
import { errorFacts } from '../events/failure-text.ts';
import { printableLines } from '../../lib/printable.ts';

interface LoggerOptions {
  readonly level: LevelWithSilent;
  readonly version: string;
  /** Receives whole lines. Defaults to standard output. */
  readonly destination?: DestinationStream;
}

/** Bytes of log kept in memory while standard output does not accept them. Further lines are dropped and counted. */
const maxBacklogBytes = 4 * 1024 * 1024;

/**
 * Creates a logger that writes one JSON object a line: `level` in words, `time` in ISO 8601 UTC, `service`, `version`,
 * `event`, then its fields. Process id and host name are left out, because the log collector adds the origin.
 *
 * Call its `flush` before an exit, and wait for it. A write to standard output takes a thread of Node's pool, and all may be busy.
 * The last lines would then come before those of that write, or between them.
 */
export function createLogger({ level, version, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service: 'certificate-webhooks', version },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // The library's default would print an error's message and every property of it.
    serializers: { err: errorFacts },
  };
  if (destination !== undefined) return makeLinesAtOnce(pino(options, destination));
  const output = openStandardOutput({ sync: false });
  let current = output;
  let isWriting = false;
  for (const event of ['drain', 'error']) output.on(event, () => (isWriting = false));
  const buffered = new BufferedDestination({
    output: (lines) => {
      isWriting = true;
      current.write(lines);
    },
    whenWritten: (done) => void (isWriting ? output.once('drain', done) : done()),
    clock: systemClock,
  });
  process.once('exit', () => {
    output.flushSync();
    // An asynchronous output would write on another thread, and an exiting process does not wait for that.
    current = openStandardOutput({ sync: true });
    buffered.flush();
  });
  const logger = makeLinesAtOnce(pino(options, buffered));
  logDroppedLines(logger, output);
  return logger;
}

type StandardOutput = ReturnType<typeof openStandardOutput>;

/**
 * Opens standard output. Unless `sync`, lines are written without waiting for the reader. If a reader stalls, lines are
 * dropped; the service does not stop, and its memory does not fill up.
 */
function openStandardOutput({ sync }: { readonly sync: boolean }) {
  const output = openDestination({ dest: 1, sync, maxLength: maxBacklogBytes });
  // A full disk, for example. The service continues, and the backlog grows up to its limit.
  output.on('error', () => undefined);
  return output;
}

function logDroppedLines(logger: Logger, output: StandardOutput): void {
  let dropped = 0;
  output.on('drop', (text: string) => (dropped += text.split('\n').length - 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ event: 'log.dropped', lines });
  });
}

/** pino's function that makes a line. `time` is a field with its comma in front. */
type AsJson = (this: PinoLine, fields: object, message: string | undefined, level: number, time: string) => string;

/** The start of a line that pino keeps: the level, and the fields that all lines have. */
interface PinoLine {
  readonly [symbols.lsCacheSym]: Readonly<Record<number, string>>;
  readonly [symbols.chindingsSym]: string;
}

/**
 * Lets a logger make the JSON of a line's fields in one call. Otherwise pino joins five texts for each field: 2 KB of
 * garbage for a `delivery.attempted`. It still writes lines that have a message, or an error to serialize.
 */
export function makeLinesAtOnce(logger: Logger): Logger {
  const inherited: AsJson = Reflect.get(logger, symbols.asJsonSym);
  const asJson: AsJson = function asJson(fields, message, level, time) {
    if (message !== undefined || 'err' in fields || !('event' in fields))
      return inherited.call(this, fields, message, level, time);
    return `${this[symbols.lsCacheSym][level]}${time}${this[symbols.chindingsSym]},${JSON.stringify(fields).slice(1)}\n`;
  };
  return Object.assign(logger, { [symbols.asJsonSym]: asJson });
}

/**
 * Time in ms that a line waits at most. One write per 50 ms costs 0.4 % of the time, instead of 4 to 5 % at 200
 * deliveries/s. A killed process loses at most 50 ms of its log.
 */
const flushAfterMs = 50;

/** Characters of one text. A full text is written at the end of the turn of the event loop, without the wait. */
const maxTextLength = 1024 * 1024;

/**
 * Collects log lines and writes them together. Owns the lines not written yet and the timer that writes them.
 *
 * pino calls `write` for each line. `createLogger` passes standard output as `output`, and calls `flush` when the process
 * exits. The destination of pino itself would write once a turn of the event loop. That is one system call a line if
 * there are few lines, and only 16 KiB a turn if there are many.
 *
 * Promises:
 * - Lines hold no control or bidirectional characters, which JSON allows unescaped beyond ASCII.
 * - Lines keep their order, and no line is split between two texts.
 * - `write` never calls `output`. A process that logs and exits at once would otherwise have two writes at the same time,
 *   one of them on another thread.
 * - Only one timer runs. A full text replaces it with one for the end of the turn, so that memory does not grow for 50 ms.
 * - After `flush` nothing is left and no timer runs.
 */
export class BufferedDestination implements DestinationStream {
  readonly #output: (lines: string) => void;
  readonly #whenWritten: (done: () => void) => void;
  readonly #clock: MonotonicClock;
  #texts: string[] = [];
  #lines = '';
  #timer: Disposable | undefined;

  constructor({ output, whenWritten = (done) => done(), clock }: DestinationOptions) {
    this.#output = output;
    this.#whenWritten = whenWritten;
    this.#clock = clock;
  }

  write(line: string): void {
    this.#timer ??= this.#clock.after(flushAfterMs, () => this.flush());
    this.#lines += printableLines(line);
    if (this.#lines.length < maxTextLength) return;
    this.#texts.push(this.#lines);
    this.#lines = '';
    this.#timer[Symbol.dispose]();
    this.#timer = this.#clock.after(0, () => this.flush());
  }

  /** Passes all lines on. Calls `done` once they are written, which may never be. */
  flush(done?: () => void): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const texts = [...this.#texts, this.#lines].filter((text) => text !== '');
    this.#texts = [];
    this.#lines = '';
    for (const text of texts) this.#output(text);
    if (done !== undefined) this.#whenWritten(done);
  }
}

interface DestinationOptions {
  readonly output: (lines: string) => void;
  /** Calls `done` once the output has written all that it took. At once when left out. */
  readonly whenWritten?: (done: () => void) => void;
  readonly clock: MonotonicClock;
}
