import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { MonotonicClock } from '../../lib/clock.ts';

export interface EventSinks {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly warnSampled: SampledWarn;
}

/** Interval in ms between two warnings of one kind. Bounds each kind to two warnings a minute. */
const warnEveryMs = 30_000;

/** One log line. `event` names it: `noun.verbed`. */
export type LogLine = { readonly event: string } & Readonly<Record<string, unknown>>;

/** Logs a warning that may come in great numbers. Kinds must be few, so a kind must not contain a webhook's id. */
type SampledWarn = (kind: string, line: LogLine) => void;

/**
 * Logs the first line of a kind as a warning, and then at most one every 30 s. `heldBack` counts the lines in between,
 * which are logged at debug level.
 */
export function createSampledWarnings(
  logger: Pick<Logger, 'debug' | 'warn'>,
  clock: Pick<MonotonicClock, 'monotonic'>,
): SampledWarn {
  const sampler = new LogSampler(warnEveryMs);
  return (kind, line) => {
    const heldBack = sampler.sample(kind, clock.monotonic());
    if (heldBack === undefined) logger.debug(line);
    else logger.warn(heldBack === 0 ? line : { ...line, heldBack });
  };
}

/** Accepts the first event of a kind, then at most one per interval, and counts the others. */
export class LogSampler {
  readonly #intervalMs: number;
  readonly #kinds = new Map<string, { readonly acceptedAt: number; heldBack: number }>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Returns undefined to hold the event back. Otherwise returns the number held back since the last accepted one. */
  sample(kind: string, now: number): number | undefined {
    const last = this.#kinds.get(kind);
    if (last !== undefined && now - last.acceptedAt < this.#intervalMs) {
      last.heldBack += 1;
      return undefined;
    }
    this.#kinds.set(kind, { acceptedAt: now, heldBack: 0 });
    return last?.heldBack ?? 0;
  }
}
