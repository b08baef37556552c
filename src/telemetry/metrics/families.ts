import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** One metric with all its series. */
interface Family<Label extends string> {
  /** Without the prefix that all of ours share. */
  readonly name: string;
  readonly help: string;
  /** Each label with the values known beforehand: every combination of them is there from the start, as 0. */
  readonly labels: Readonly<Record<Label, readonly string[]>>;
  /** Leaves out combinations that can't occur. */
  readonly isPossible?: (labels: LabelSet) => boolean;
}

export type LabelSet = Readonly<Record<string, string>>;

export function counter<Label extends string>(registry: Registry, family: Family<Label>): Counter<Label> {
  const made = new Counter<string>({ ...description(family), registers: [registry] });
  for (const labels of knownSets(family)) made.inc(labels, 0);
  return made;
}

export function gauge<Label extends string>(registry: Registry, family: Family<Label>): Gauge<Label> {
  const made = new Gauge<string>({ ...description(family), registers: [registry] });
  for (const labels of knownSets(family)) made.set(labels, 0);
  return made;
}

/** `buckets`: upper bounds in the metric's unit, ascending. */
export function histogram<Label extends string>(
  registry: Registry,
  family: Family<Label>,
  buckets: readonly number[],
): Histogram<Label> {
  const made = new Histogram<string>({ ...description(family), buckets: [...buckets], registers: [registry] });
  for (const labels of knownSets(family)) made.zero(labels);
  return made;
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
