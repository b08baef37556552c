import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

const minuteMs = 60_000;

/**
 * Checks the limits of each webhook, which each process keeps by itself: `inFlight` requests at once, and `perMinute` in any
 * minute. The versions of a webhook with the same `perMinute` have one budget together.
 */
export function checkWebhookLimits(facts: RunFacts): readonly Violation[] {
  return [...checkAtOnce(facts), ...checkMinutes(facts)];
}

function checkAtOnce({ entries, versions }: RunFacts): readonly Violation[] {
  const counts = new Map<string, number>();
  return entries.flatMap((entry) => {
    if (entry.kind !== 'sent' && entry.kind !== 'answered') return [];
    const { instance, webhookId, version, at } = entry;
    const key = `${instance} to ${webhookId}`;
    const count = (counts.get(key) ?? 0) + (entry.kind === 'sent' ? 1 : -1);
    counts.set(key, count);
    const { inFlight } = versions.limitsOf(webhookId, version);
    if (entry.kind === 'answered' || inFlight === undefined || count <= inFlight) return [];
    return [violation(`${key}: ${count} requests at once, ${inFlight} at most`, at)];
  });
}

function checkMinutes({ entries, versions }: RunFacts): readonly Violation[] {
  const starts = new Map<string, number[]>();
  return entries.flatMap((entry) => {
    if (entry.kind !== 'sent') return [];
    const { instance, webhookId, version, at } = entry;
    const { perMinute } = versions.limitsOf(webhookId, version);
    if (perMinute === undefined) return [];
    const key = `${instance} to ${webhookId} with ${perMinute} a minute`;
    const times = starts.get(key) ?? [];
    starts.set(key, [...times, at]);
    const from = times.at(-perMinute) ?? Number.NEGATIVE_INFINITY;
    return at - from < minuteMs ? [violation(`${key}: one more in ${at - from} ms`, at)] : [];
  });
}

function violation(problem: string, at: number): Violation {
  return { invariant: 'webhook_limits', problem, at };
}
