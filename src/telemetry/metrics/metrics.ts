import { collectDefaultMetrics, Counter, Registry, type OpenMetricsContentType } from 'prom-client';
import { createCounters, type Counters } from './counters.ts';
import { gauge } from './families.ts';
import { contentTypes, type MetricsFormat } from './exposition-format.ts';
import { createGauges, type GaugeSource } from './gauges.ts';
import { createHistograms, type Histograms } from './histograms.ts';
import type { KnownTopics } from './known-topics.ts';

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

/** Returns a registry that renders the same metrics as OpenMetrics. */
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
