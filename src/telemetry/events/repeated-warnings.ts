import type { Logger } from 'pino';
import type { Clock } from '../../lib/clock.ts';
import { LogSampler } from './log-sampler.ts';

/** How often one kind of warning is worth a line. */
const intervalMs = 30_000;

/** One log line. `event` names it: `noun.verbed`. */
export type Line = { readonly event: string } & Readonly<Record<string, unknown>>;

/** Writes a warning of which many may come at once. Kinds are few: a webhook's id, say, is none. */
export type WarnOnce = (kind: string, line: Line) => void;

/**
 * The first of a kind is a warning, and so is one every 30 s after it, with `heldBack`, the number of those in between.
 * These are written at debug level, so nothing is lost to who wants it all.
 */
export function createWarnings(logger: Logger, clock: Pick<Clock, 'now'>): WarnOnce {
  const repeats = new LogSampler(intervalMs);
  return (kind, line) => {
    const heldBack = repeats.pass(kind, clock.now());
    if (heldBack === undefined) logger.debug(line);
    else logger.warn(heldBack === 0 ? line : { ...line, heldBack });
  };
}
