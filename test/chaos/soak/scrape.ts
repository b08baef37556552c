/** Returns the value of a series of the service, written `name{a="b"}`. */
export function seriesValue(metrics: string, series: string): number {
  return Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(`certificate_webhooks_${series} `))
      ?.split(' ')[1],
  );
}

/**
 * Returns the upper bound, in seconds, of the bucket with the p99 of what a histogram observed between two scrapes, of
 * completed certificates.
 */
export function bucketOfP99(before: string, after: string, name: string): number {
  const earlier = bucketsOf(before, name);
  const counts = [...bucketsOf(after, name)].map(
    ([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)] as const,
  );
  const total = Math.max(...counts.map(([, count]) => count));
  return Math.min(...counts.flatMap(([bound, count]) => (count >= total * 0.99 ? [bound] : [])));
}

function bucketsOf(metrics: string, name: string): ReadonlyMap<number, number> {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`certificate_webhooks_${name}_bucket`));
  return new Map(
    lines
      .filter((line) => line.includes('event_type="certificate_completed"'))
      .map((line) => [boundOf(line), Number(/\} (\d+)/.exec(line)?.[1])]),
  );
}

function boundOf(line: string): number {
  const bound = /le="([^"]+)"/.exec(line)?.[1];
  return bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
}
