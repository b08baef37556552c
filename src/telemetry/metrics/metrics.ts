import { collectDefaultMetrics, Registry } from 'prom-client';
import { createCounters, type Counters } from './counters.ts';
import { gauge } from './families.ts';
import { createGauges, type GaugeSource } from './gauges.ts';
import { createHistograms, type Histograms } from './histograms.ts';
import type { KnownTopics } from './known-topics.ts';

interface MetricsOptions extends KnownTopics {
  readonly version: string;
}

export interface Metrics extends Counters, Histograms {
  /** Adds sources of gauges. Components are added one after the other, as each of them starts. */
  watch(source: Partial<GaugeSource>): void;
  /** Renders the metrics as Prometheus text. Rejects if a source throws. */
  render(): Promise<string>;
  /** The content type of the rendered text. */
  readonly contentType: string;
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
  return {
    ...createCounters(registry, known),
    ...createHistograms(registry, known),
    watch: (source) => void sources.push(source),
    render: async () => {
      for (const source of sources) readGauges(source);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
