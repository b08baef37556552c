import { parseExposition } from '../../telemetry/support/exposition.ts';

/** The samples of a page of metrics, by name and labels, without the common prefix of the service. */
export type Samples = ReadonlyMap<string, number>;

export function readMetrics(text: string): Samples {
  const prefix = 'certificate_webhooks_';
  const samples = [...parseExposition(text).values()].flatMap((metric) => metric.samples.entries().toArray());
  const ours = samples.filter(([series]) => series.startsWith(prefix));
  return new Map(ours.map(([series, value]) => [series.slice(prefix.length), value]));
}

/** Returns the sum of a family, or of its series with that label. */
export function sumOf(samples: Samples, family: string, label = ''): number {
  return [...samples]
    .filter(([series]) => series.split('{', 1)[0] === family && series.includes(label))
    .reduce((sum, [, value]) => sum + value, 0);
}
