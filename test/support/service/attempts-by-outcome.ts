/** Returns how many attempts the metrics of an instance count, by outcome. Outcomes without any are left out. */
export function attemptsByOutcome(metrics: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const series = /^certificate_webhooks_delivery_attempts_total\{.*outcome="(\w+)".*\} ([1-9]\d*)$/gm;
  for (const [, outcome = '', count] of metrics.matchAll(series)) {
    counts.set(outcome, (counts.get(outcome) ?? 0) + Number(count));
  }
  return counts;
}
