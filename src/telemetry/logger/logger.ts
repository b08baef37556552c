import { destination as openDestination, pino, stdTimeFunctions } from 'pino';
import type { DestinationStream, LevelWithSilent, Logger } from 'pino';
import { systemClock } from '../../lib/clock.ts';
import { errorFacts } from '../events/failure-text.ts';
import { GatheredLines } from './buffered-destination.ts';

interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Of this service. */
  readonly version: string;
  /** Takes whole lines; standard output unless told otherwise. */
  readonly destination?: DestinationStream;
}

/** What is kept of lines that standard output does not take yet. */
const longestBacklogBytes = 4 * 1024 * 1024;

/**
 * One JSON object a line: `level` in words, `time` in ISO 8601 UTC, `service`, `version`, `event`, then its fields.
 * Process id and host name are left out: whoever collects the lines knows where they come from.
 */
export function createLogger({ level, version, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service: 'certificate-webhooks', version },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // The library's own would print an error's message and every property of it.
    serializers: { err: errorFacts },
  };
  if (destination !== undefined) return pino(options, destination);
  const output = openStandardOutput({ sync: false });
  let current = output;
  const gathered = new GatheredLines({ pass: (lines) => void current.write(lines), clock: systemClock });
  process.once('exit', () => {
    output.flushSync();
    // Otherwise another thread would begin to write these, and nobody waits for it any more.
    current = openStandardOutput({ sync: true });
    gathered.flush();
  });
  const logger = pino(options, gathered);
  tellDropped(logger, output);
  return logger;
}

type Output = ReturnType<typeof openStandardOutput>;

/**
 * Lines are written without waiting for the reader, unless `sync`; what is not written yet is written when the process exits.
 * A reader that stalls costs lines; it neither stops the service nor fills its memory.
 */
function openStandardOutput({ sync }: { readonly sync: boolean }) {
  const output = openDestination({ dest: 1, sync, maxLength: longestBacklogBytes });
  // A full disk, say: the service goes on, and the backlog grows up to its limit.
  output.on('error', () => undefined);
  return output;
}

function tellDropped(logger: Logger, output: Output): void {
  let dropped = 0;
  output.on('drop', (text: string) => (dropped += text.split('\n').length - 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    logger.warn({ event: 'log.dropped', lines });
  });
}
