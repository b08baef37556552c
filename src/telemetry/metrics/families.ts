import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** One metric with all its series. */
interface Family<Label extends string> {
  /** The name without the common prefix `certificate_webhooks_`. */
  readonly name: string;
  readonly help: string;
  /** The labels with their known values. All combinations of known values are exposed from the start, as 0. */
  readonly labels: Readonly<Record<Label, readonly string[]>>;
  /** Returns false for combinations that can't occur. They are not exposed. */
  readonly isPossible?: (labels: LabelSet) => boolean;
}

export type LabelSet = Readonly<Record<string, string>>;

export function counter<Label extends string>(registry: Registry, family: Family<Label>): Counter<Label> {
  const created = new Counter<string>({ ...description(family), registers: [registry] });
  for (const labels of knownSets(family)) created.inc(labels, 0);
  return created;
}

export function gauge<Label extends string>(registry: Registry, family: Family<Label>): Gauge<Label> {
  const created = new Gauge<string>({ ...description(family), registers: [registry] });
  for (const labels of knownSets(family)) created.set(labels, 0);
  return created;
}

/** A histogram whose buckets each remember the last traced value as an exemplar. */
export interface TracedHistogram<Label extends string> {
  observe(labels: Readonly<Record<Label, string>>, value: number, traceId: string | undefined): void;
}

/** Creates a histogram. `buckets` are ascending upper bounds in the unit of the metric. */
export function histogram<Label extends string>(
  registry: Registry,
  family: Family<Label>,
  buckets: readonly number[],
): TracedHistogram<Label> {
  // The library refuses exemplars if it is given a registry for text. That registry never renders them.
  const options = { ...description(family), buckets: [...buckets], enableExemplars: true, registers: [] };
  const created = new Histogram<string>(options);
  registry.registerMetric(created);
  for (const labels of knownSets(family)) created.zero(labels);
  return {
    observe: (labels, value, traceId) =>
      created.observe(
        traceId === undefined ? { labels, value } : { labels, value, exemplarLabels: { trace_id: traceId } },
      ),
  };
}

function description({ name, help, labels }: Family<string>): {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
} {
  return { name: `certificate_webhooks_${name}`, help, labelNames: Object.keys(labels) };
}

function knownSets({ labels, isPossible = () => true }: Family<string>): readonly LabelSet[] {
  let sets: readonly LabelSet[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    sets = sets.flatMap((set) => values.map((value) => Object.assign({ [label]: value }, set)));
  }
  return sets.filter(isPossible);
}
