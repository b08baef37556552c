import { parseTime } from '../../certificates/certificate-schema.ts';
import { parseDuration } from '../../lib/units.ts';

/** A time on the command line: an ISO 8601 time, or a duration ago. */
export type TimeArgument =
  { readonly kind: 'at'; readonly epochMs: number } | { readonly kind: 'ago'; readonly durationMs: number };

export const expectedTime =
  'an ISO 8601 time with its offset, such as 2026-01-31T00:00:00Z, or a duration ago, such as 30m or 24h';

export function parseTimeArgument(text: string): TimeArgument | undefined {
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return { kind: 'ago', durationMs };
  const epochMs = parseTime(text);
  return epochMs === undefined ? undefined : { kind: 'at', epochMs };
}

export function resolveTimeArgument(time: TimeArgument, now: number): number {
  return time.kind === 'at' ? time.epochMs : now - time.durationMs;
}

/** Returns both ends of a span, in epoch milliseconds. One that is not given is infinite. */
export function resolveSpan(
  since: TimeArgument | undefined,
  until: TimeArgument | undefined,
  now: number,
): readonly [since: number, until: number] {
  return [
    since === undefined ? Number.NEGATIVE_INFINITY : resolveTimeArgument(since, now),
    until === undefined ? Number.POSITIVE_INFINITY : resolveTimeArgument(until, now),
  ];
}

export function isEmptySpan(...span: Parameters<typeof resolveSpan>): boolean {
  const [since, until] = resolveSpan(...span);
  return since >= until;
}
