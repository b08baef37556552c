/** One metric of a Prometheus text. */
interface ExposedMetric {
  readonly type: string;
  readonly help: string;
  /** The samples by series, such as `name{a="b"}`, with the labels in alphabetical order. */
  readonly samples: ReadonlyMap<string, number>;
}

/** Parses the Prometheus text format without escapes and timestamps, which the service does not use. */
export function parseExposition(text: string): ReadonlyMap<string, ExposedMetric> {
  const metrics = text.split(/^# HELP /m).slice(1);
  return new Map(metrics.map(parseMetric));
}

function parseMetric(text: string): readonly [name: string, metric: ExposedMetric] {
  const [first = '', second = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const [name = '', ...help] = first.split(' ');
  const type = second.split(' ').at(-1) ?? '';
  return [name, { type, help: help.join(' '), samples: new Map(lines.map(parseSample)) }];
}

function parseSample(line: string): readonly [series: string, value: number] {
  const [, series = '', labels = '', value = ''] = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  return [seriesName(series, labels.split(/,(?=[a-z_]+=")/)), Number(value)];
}

function seriesName(name: string, labels: readonly string[]): string {
  const written = labels.filter((label) => label !== '').toSorted();
  return written.length === 0 ? name : `${name}{${written.join(',')}}`;
}

/** Returns the samples of our own metrics that are not zero, without the prefix. */
export function movedSamples(text: string): Readonly<Record<string, number>> {
  const prefix = 'certificate_webhooks_';
  const samples = [...parseExposition(text)].flatMap(([, metric]) => metric.samples.entries().toArray());
  const ours = samples
    .filter(([series, value]) => series.startsWith(prefix) && value !== 0)
    .map(([series, value]) => [series.slice(prefix.length), value] as const)
    .filter(([series]) => !/^build_info|_bucket\{/.test(series));
  return Object.fromEntries(ours);
}
