import { collectDefaultMetrics, Registry } from 'prom-client';
import { createCounters, type Counters } from './counters.ts';
import { gauge } from './families.ts';
import { createGauges, type GaugeSource } from './gauges.ts';
import { createHistograms, type Histograms } from './histograms.ts';
import type { KnownTopics } from './known-topics.ts';

interface MetricsOptions extends KnownTopics {
  /** Of this service. */
  readonly version: string;
}

export interface Metrics extends Counters, Histograms {
  /** The gauges ask these from now on. Parts are watched one after the other, as each is started. */
  watch(source: Partial<GaugeSource>): void;
  /** Prometheus text, as it stands now. Rejects when a watched part throws. */
  render(): Promise<string>;
  /** Of that text. */
  readonly contentType: string;
}

/** All metrics of one process, in a registry of their own. Node's and the process's own come along. */
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
