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

/** Creates a histogram. `buckets` are ascending upper bounds in the unit of the metric. */
export function histogram<Label extends string>(
  registry: Registry,
  family: Family<Label>,
  buckets: readonly number[],
): Histogram<Label> {
  const created = new Histogram<string>({ ...description(family), buckets: [...buckets], registers: [registry] });
  for (const labels of knownSets(family)) created.zero(labels);
  return created;
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
