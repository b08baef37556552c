import { collectDefaultMetrics, Counter, Registry, type OpenMetricsContentType } from 'prom-client';
import { createCounters, type Counters } from './counters.ts';
import { gauge, histogram } from './families.ts';
import { createGauges, type GaugeSource } from './gauges.ts';
import { type KnownTopics, tierLabels } from './known-topics.ts';
import { eventTypes } from '../../certificates/certificate.ts';
import { attemptOutcomes } from '../../deliveries/outcome.ts';

interface MetricsOptions extends KnownTopics {
  readonly version: string;
}

export interface Metrics extends Counters, Histograms {
  /** Adds sources of gauges. Components are added one after the other, as each of them starts. */
  watch(source: Partial<GaugeSource>): void;
  /** Renders the metrics. Rejects if a source throws. */
  render(format?: MetricsFormat): Promise<string>;
}

/** Creates all metrics of one process in a registry of their own, including those of Node and of the process. */
export function createMetrics({ version, ...known }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gauge(registry, {
    name: 'build_info',
    help: 'What is running; always 1.',
    labels: { version: [version], node_version: [process.version] },
  }).set({ version, node_version: process.version }, 1);
  const readGauges = createGauges(registry, known);
  const sources: Partial<GaugeSource>[] = [];
  const families = { ...createCounters(registry, known), ...createHistograms(registry, known) };
  const registries = { text: registry, openMetrics: inOpenMetrics(registry) };
  return {
    ...families,
    watch: (source) => void sources.push(source),
    render: async (format = 'text') => {
      for (const source of sources) readGauges(source);
      return registries[format].metrics();
    },
  };
}

function inOpenMetrics(registry: Registry): Registry<OpenMetricsContentType> {
  const created = new Registry<OpenMetricsContentType>();
  created.setContentType(contentTypes.openMetrics);
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = registry.getSingleMetric(name);
    // Rendering cuts `_total` off the name of a counter, for good. A copy keeps that from the other registry.
    const copy: unknown = Object.create(metric ?? null);
    if (copy instanceof Counter) created.registerMetric(copy);
    else if (metric !== undefined) created.registerMetric(metric);
  }
  return created;
}

type Histograms = ReturnType<typeof createHistograms>;

/** Buckets of a request's duration in seconds. The default timeout of 15 s is a bound, so that timeouts stand out. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** Buckets of a record's age in seconds, from 10 ms to the default `DELIVERY_MAX_AGE` of 3 days. */
const ageSeconds = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 10_800, 43_200, 86_400, 259_200,
];

/** Buckets in seconds for delays that should be near zero. */
const latenessSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

function createHistograms(registry: Registry, known: KnownTopics) {
  return {
    deliveryDuration: histogram(registry, {
      name: 'delivery_duration_seconds',
      help: 'Duration of an attempt, from leaving the waiting room to the response head or the failure.',
      labels: { outcome: attemptOutcomes },
      buckets: requestSeconds,
    }),
    deliveryLatency: histogram(registry, {
      name: 'delivery_latency_seconds',
      help: 'Time from the timestamp of a record to the 2xx of a delivery.',
      labels: { event_type: eventTypes },
      buckets: ageSeconds,
    }),
    queueDelay: histogram(registry, {
      name: 'queue_delay_seconds',
      help: 'Time from the timestamp of a record to the start of the first attempt of a delivery.',
      labels: { event_type: eventTypes },
      buckets: ageSeconds,
    }),
    retryLateness: histogram(registry, {
      name: 'retry_lateness_seconds',
      help: 'Time from when a delivery was due in its tier to the start of its attempt.',
      labels: { tier: tierLabels(known) },
      buckets: latenessSeconds,
    }),
  };
}

/** The formats of the metrics with their content types. Only OpenMetrics has exemplars. */
export const contentTypes = {
  text: Registry.PROMETHEUS_CONTENT_TYPE,
  openMetrics: Registry.OPENMETRICS_CONTENT_TYPE,
} as const;
export type MetricsFormat = keyof typeof contentTypes;

/** Returns OpenMetrics if the client names it, and does not prefer text. */
export function acceptedFormat(accept = ''): MetricsFormat {
  const ranges = accept.split(',').map(parseRange);
  const openMetrics = qualityOf(ranges, /^application\/openmetrics-text(?:;version=1\.0\.0)?$/);
  const text = qualityOf(ranges, /^(?:text\/plain|text\/\*|\*\/\*)/);
  return openMetrics > 0 && openMetrics >= text ? 'openMetrics' : 'text';
}

/** Returns the type and its version in lower case, without spaces and other parameters, and the quality. */
function parseRange(text: string) {
  const [type = '', ...parameters] = text.toLowerCase().replaceAll(/[\s"]/g, '').split(';');
  const version = parameters.find((parameter) => parameter.startsWith('version='));
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return {
    type: version === undefined ? type : `${type};${version}`,
    quality: quality === undefined ? 1 : Number(quality.slice(2)),
  };
}

function qualityOf(ranges: readonly ReturnType<typeof parseRange>[], type: RegExp): number {
  return Math.max(0, ...ranges.filter((range) => type.test(range.type)).map(({ quality }) => quality));
}
