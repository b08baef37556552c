import { parseExposition } from '../../telemetry/support/exposition.ts';

/** What `/metrics` said. */
export interface MetricsPage {
  readonly text: string;
  /** By name and labels, `name{a="b"}`, without the prefix that all of ours share. */
  readonly samples: ReadonlyMap<string, number>;
}

export function readMetrics(text: string): MetricsPage {
  const prefix = 'certificate_webhooks_';
  const samples = [...parseExposition(text).values()].flatMap((metric) => metric.samples.entries().toArray());
  const ours = samples.filter(([series]) => series.startsWith(prefix));
  return { text, samples: new Map(ours.map(([series, value]) => [series.slice(prefix.length), value])) };
}

/** The samples of that family that are not 0, by their labels. */
export function movedIn({ samples }: Pick<MetricsPage, 'samples'>, family: string): Readonly<Record<string, number>> {
  const moved = [...samples].filter(([series, value]) => familyOf(series) === family && value !== 0);
  return Object.fromEntries(moved.map(([series, value]) => [series.slice(family.length), value]));
}

export function isThere({ samples }: Pick<MetricsPage, 'samples'>, family: string): boolean {
  return [...samples.keys()].some((series) => familyOf(series) === family);
}

function familyOf(series: string): string {
  return series.split('{', 1)[0] ?? series;
}
