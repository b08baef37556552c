/** The viewer's selection. Recorded series cover all instances, so they have no instance. */
export const selection = 'cluster=~"$cluster",namespace=~"$namespace",job=~"$job"';
const instanceSelection = `${selection},instance=~"$instance"`;

/** Selects a metric of the service, named without its prefix. */
export function serviceMetric(metric: string, ...matchers: readonly string[]): string {
  return processMetric(`certificate_webhooks_${metric}`, ...matchers);
}

/** Selects a metric of Node or of the process, by its full name. */
export function processMetric(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${[instanceSelection, ...matchers].join(',')}}`;
}

/** Selects a series of a recording rule. */
export function recordedSeries(record: string): string {
  return `${record}{${selection}}`;
}

/** Returns the rate per second. Grafana chooses the interval by the resolution of graph and scrapes. */
export function rate(counter: string, by: string): string {
  return `sum by (${by}) (rate(${counter}[$__rate_interval]))`;
}

/** Returns the count within that interval, for rare events whose rate would be meaningless. */
export function increase(counter: string, by: string): string {
  return `sum by (${by}) (increase(${counter}[$__rate_interval]))`;
}

/** Returns a quantile of a histogram of the service. */
export function quantile(share: number, histogram: string, by = ''): string {
  const labels = ['le', by].filter((label) => label !== '').join(', ');
  return `histogram_quantile(${share}, ${rate(serviceMetric(`${histogram}_bucket`), labels)})`;
}
