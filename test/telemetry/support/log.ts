import type { LevelWithSilent, Logger } from 'pino';
import { createLogger } from '../../../src/telemetry/logger/logger.ts';

/** A logger and what was written with it. */
export interface CapturedLog {
  readonly logger: Logger;
  /** Returns the log as text. */
  readonly text: () => string;
  /** Returns the parsed lines without the fields that all lines share. */
  readonly lines: () => readonly unknown[];
}

export function captureLog(level: LevelWithSilent = 'info'): CapturedLog {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  return {
    logger: createLogger({ level, version: '1.2.3', destination }),
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line, withoutCommon)),
  };
}

function withoutCommon(key: string, value: unknown): unknown {
  return ['time', 'service', 'version'].includes(key) ? undefined : value;
}
