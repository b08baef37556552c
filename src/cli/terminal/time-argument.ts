import { z } from 'zod';
import { parseDuration } from '../../lib/duration.ts';

/** A time as people type it. */
export type TimeArgument =
  { readonly kind: 'at'; readonly epochMs: number } | { readonly kind: 'ago'; readonly durationMs: number };

/** A time without an offset would mean another moment on another machine. */
const isoTime = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** Throws what tells a person what is expected. */
export function parseTimeArgument(name: string, text: string): TimeArgument {
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return { kind: 'ago', durationMs };
  if (isoTime.safeParse(text).success) return { kind: 'at', epochMs: Date.parse(text) };
  throw new TypeError(
    `--${name} is ${JSON.stringify(text)}: expected an ISO 8601 time with its offset, such as 2026-01-31T00:00:00Z, ` +
      'or a duration ago, such as 30m or 24h',
  );
}

/** Epoch milliseconds. */
export function resolveTimeArgument(moment: TimeArgument, now: number): number {
  switch (moment.kind) {
    case 'at':
      return moment.epochMs;
    case 'ago':
      return now - moment.durationMs;
  }
}

export function isEmptySpan(since: TimeArgument | undefined, until: TimeArgument | undefined, now: number): boolean {
  if (since === undefined || until === undefined) return false;
  return resolveTimeArgument(since, now) >= resolveTimeArgument(until, now);
}
