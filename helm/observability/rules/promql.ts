/**
 * Stands in every selector. It lets everything in; the chart puts the namespace of its release in its place, so that two
 * releases on one cluster do not alert on each other's behalf.
 */
export const scope = 'namespace=~".*"';

/** What tells one deployment of the service from another. A label that is not there is no hindrance. */
export const deployment = 'cluster, namespace, job';

/** What tells one process of it from another. */
export const process = `${deployment}, instance`;

/** By their names, tiers end in their delay: what waits there is meant to wait. */
export const certificateTopics = 'topic!~".+[.][0-9]+(ms|s|m|h)"';
export const tiers = 'topic=~".+[.][0-9]+(ms|s|m|h)"';
/** Those that let every record go within ten minutes. */
export const shortTiers = 'topic=~".+[.]([0-9]+m?s|([1-9]|10)m)"';

/** The seconds within which a first attempt should start. A bound of the histogram; newer servers write it as a float. */
export const promptSeconds = 60;
export const prompt = `le=~"${promptSeconds}([.]0)?"`;

/** A metric of ours, without the prefix, as it is in the scope. */
export function ours(metric: string, ...matchers: readonly string[]): string {
  return all(`certificate_webhooks_${metric}`, ...matchers);
}

/** A metric by its whole name. */
export function all(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${[scope, ...matchers].join(',')}}`;
}

/** A result that is kept, as it is in the scope. */
export function kept(record: string): string {
  return all(record);
}

/** Takes away the lines and the indentation around a text. A value of several lines stands as deep as its first one. */
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
