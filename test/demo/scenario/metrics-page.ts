import { parseExposition } from '../../telemetry/support/exposition.ts';

/** The answer of `/metrics`. */
export interface MetricsPage {
  readonly text: string;
  /** Values by name and labels, `name{a="b"}`, without the common prefix of the service. */
  readonly samples: ReadonlyMap<string, number>;
}

export function readMetrics(text: string): MetricsPage {
  const prefix = 'certificate_webhooks_';
  const samples = [...parseExposition(text).values()].flatMap((metric) => metric.samples.entries().toArray());
  const ours = samples.filter(([series]) => series.startsWith(prefix));
  return { text, samples: new Map(ours.map(([series, value]) => [series.slice(prefix.length), value])) };
}

/** Returns the samples of the family that are not 0, by their labels. */
export function nonZeroSamples(
  { samples }: Pick<MetricsPage, 'samples'>,
  family: string,
): Readonly<Record<string, number>> {
  const nonZero = [...samples].filter(([series, value]) => familyOf(series) === family && value !== 0);
  return Object.fromEntries(nonZero.map(([series, value]) => [series.slice(family.length), value]));
}

export function hasFamily({ samples }: Pick<MetricsPage, 'samples'>, family: string): boolean {
  return [...samples.keys()].some((series) => familyOf(series) === family);
}

function familyOf(series: string): string {
  return series.split('{', 1)[0] ?? series;
}
