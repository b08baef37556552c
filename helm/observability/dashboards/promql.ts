/** What a viewer has chosen. A result that is kept is over all instances. */
const chosen = 'namespace=~"$namespace",job=~"$job"';
const chosenInstances = `${chosen},instance=~"$instance"`;

/** A metric of ours, without the prefix. */
export function ours(metric: string, ...matchers: readonly string[]): string {
  return ofProcess(`certificate_webhooks_${metric}`, ...matchers);
}

/** A metric that Node or the process has, by its whole name. */
export function ofProcess(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${[chosenInstances, ...matchers].join(',')}}`;
}

/** A result that a recording rule keeps. */
export function kept(record: string): string {
  return `${record}{${chosen}}`;
}

/** A second, over an interval that fits the resolution of the graph and of the scrapes. */
export function rate(counter: string, by: string): string {
  return `sum by (${by}) (rate(${counter}[$__rate_interval]))`;
}

/** How many within that interval, for what happens so rarely that a rate says nothing. */
export function increase(counter: string, by: string): string {
  return `sum by (${by}) (increase(${counter}[$__rate_interval]))`;
}

/** Of a histogram of ours. */
export function quantile(share: number, histogram: string, by = ''): string {
  const labels = ['le', by].filter((label) => label !== '').join(', ');
  return `histogram_quantile(${share}, ${rate(ours(`${histogram}_bucket`), labels)})`;
}
