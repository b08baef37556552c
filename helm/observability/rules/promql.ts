/**
 * The first matchers of every selector. They match everything. The chart replaces them by the namespace of the release and
 * by the job that its monitor sets. Otherwise releases in one cluster or in one namespace would alert on each other.
 */
const anyNamespace = 'namespace=~".*"';
const anyJob = 'job=~".*"';

/** Matches the Deployment of the chart under any release. The chart replaces it by the name of its own. */
const anyDeployment = 'deployment=~".*certificate-webhooks.*"';

/** The labels that identify one deployment of the service. Missing labels do no harm. */
export const deployment = 'cluster, namespace, job';

/** The labels that identify one process. */
export const process = `${deployment}, instance`;

/** Excludes retry topics, whose names end in their delay: records wait there on purpose. */
export const certificateTopics = 'topic!~".+[.][0-9]+(ms|s|m|h)"';
/** Matches retry topics. */
export const tiers = 'topic=~".+[.][0-9]+(ms|s|m|h)"';
/** Matches retry topics with a delay of at most ten minutes. */
export const shortTiers = 'topic=~".+[.]([0-9]+m?s|([1-9]|10)m)"';

/** The seconds within which a first attempt should start. It must be a bound of the histogram. */
export const promptSeconds = 60;
/** Matches that bound. Newer versions of Prometheus write it as a float. */
export const prompt = `le=~"${promptSeconds}([.]0)?"`;

/** Selects a metric of the service in the scope, named without its prefix. */
export function serviceMetric(metric: string, ...matchers: readonly string[]): string {
  return anyMetric(`certificate_webhooks_${metric}`, ...matchers);
}

/** Selects a metric of the process in the scope by its full name. */
export function anyMetric(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${[anyNamespace, anyJob, ...matchers].join(',')}}`;
}

/** Selects a metric of kube-state-metrics, whose job is its own, about the Deployment of the release. */
export function deploymentMetric(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${[anyNamespace, anyDeployment, ...matchers].join(',')}}`;
}

/** Selects a recorded series in the scope. */
export function recordedSeries(record: string): string {
  return anyMetric(record);
}

/**
 * Returns the series for which the condition holds in four fifths of the minutes. In a roll-out, partitions stay with an
 * instance for a single scrape. `min_over_time` would take such a sample for the whole time.
 */
export function mostly(condition: string, minutes: number): string {
  return `count_over_time((${condition})[${minutes}m:1m]) >= ${minutes * 0.8}`;
}

/** Removes empty lines and common indentation. Values with several lines keep the indentation of their first line. */
export function text(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const [head = '', ...tail] = strings.raw;
  const whole = tail.reduce((sum, string, index) => sum + indented(values[index] ?? '', sum) + string, head);
  const lines = whole.split('\n').filter((line) => line.trim() !== '');
  const depth = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(depth)).join('\n');
}

function indented(value: string | number, before: string): string {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const depth = line.length - line.trimStart().length;
  return String(value).replaceAll('\n', `\n${' '.repeat(depth)}`);
}
