import { strict as assert } from 'node:assert';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

interface MetricFamily<Label extends string> {
  /** The name without the common prefix `certificate_webhooks_`. */
  readonly name: string;
  readonly help: string;
  /** The labels with their known values. All combinations of known values are exposed from the start, as 0. */
  readonly labels: Readonly<Record<Label, readonly string[]>>;
  /** Returns false for combinations that can't occur. They are not exposed. */
  readonly isPossible?: (labels: LabelSet) => boolean;
}

/** A counter whose samples cost no garbage. */
export interface LabelledCounter<Label extends string> {
  inc(labels: Readonly<Record<Label, string>>, by?: number): void;
}

export function counter<Label extends string>(registry: Registry, family: MetricFamily<Label>): LabelledCounter<Label> {
  const created = new OpenCounter({ ...description(family), registers: [registry] });
  const index = indexOf(family, (labels) => {
    created.inc(labels, 0);
    return created.hashMap;
  });
  return {
    inc(labels, by = 1) {
      index.of(labels).value += by;
    },
  };
}

export function gauge<Label extends string>(registry: Registry, family: MetricFamily<Label>): Gauge<Label> {
  const created = new Gauge<string>({ ...description(family), registers: [registry] });
  for (const labels of knownSets(family)) created.set(labels, 0);
  return created;
}

/** A histogram whose buckets each remember the last traced value as an exemplar. */
export interface TracedHistogram<Label extends string> {
  observe(labels: Readonly<Record<Label, string>>, value: number, traceId: string | undefined): void;
}

interface HistogramFamily<Label extends string> extends MetricFamily<Label> {
  /** Ascending upper bounds in the unit of the metric. */
  readonly buckets: readonly number[];
}

export function histogram<Label extends string>(
  registry: Registry,
  family: HistogramFamily<Label>,
): TracedHistogram<Label> {
  const { buckets } = family;
  // The library refuses exemplars if it is given a registry for text. That registry never renders them.
  const options = { ...description(family), buckets: [...buckets], enableExemplars: true, registers: [] };
  const created = new OpenHistogram(options);
  registry.registerMetric(created);
  const index = indexOf(family, (labels) => {
    created.zero(labels);
    return created.hashMap;
  });
  const keys = buckets.map(String);
  return {
    observe(labels, value, traceId) {
      const series = index.of(labels);
      series.sum += value;
      series.count += 1;
      const key = keys[buckets.findIndex((bound) => value <= bound)];
      if (key !== undefined) series.bucketValues[key] = (series.bucketValues[key] ?? 0) + 1;
      if (traceId !== undefined) created.updateExemplar(labels, value, { trace_id: traceId });
    },
  };
}

/**
 * prom-client's counter with the numbers that it renders, by a text of their labels. Its `inc` builds that text for each
 * sample: 1.4 KB of garbage per delivery. So samples are added to the numbers directly.
 */
class OpenCounter extends Counter {
  declare readonly hashMap: Readonly<Record<string, { value: number }>>;
}

/** prom-client's histogram with the numbers that it renders. Their exemplars and the time of each are left to it. */
class OpenHistogram extends Histogram {
  declare readonly hashMap: Readonly<Record<string, HistogramSeries>>;
  declare readonly updateExemplar: (labels: LabelSet, value: number, exemplarLabels: LabelSet) => void;
}

interface HistogramSeries {
  sum: number;
  count: number;
  /** The values in each bucket and in no lower one, by its upper bound. What exceeds all bounds is in none. */
  readonly bucketValues: Record<string, number>;
}

/** Creates an index with the known series. `add` adds a series to prom-client's numbers, and returns all of them. */
function indexOf<Series>(
  family: MetricFamily<string>,
  add: (labels: LabelSet) => Readonly<Record<string, Series>>,
): SeriesIndex<Series> {
  const index = new SeriesIndex(Object.keys(family.labels), (labels) => {
    const added = Object.values(add(labels)).at(-1);
    assert(added !== undefined);
    return added;
  });
  for (const labels of knownSets(family)) index.of(labels);
  return index;
}

function description({ name, help, labels }: MetricFamily<string>) {
  return { name: `certificate_webhooks_${name}`, help, labelNames: Object.keys(labels) };
}

function knownSets({ labels, isPossible = () => true }: MetricFamily<string>): readonly LabelSet[] {
  let sets: readonly LabelSet[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    sets = sets.flatMap((set) => values.map((value) => Object.assign({ [label]: value }, set)));
  }
  return sets.filter(isPossible);
}

export type LabelSet = Readonly<Record<string, string>>;

/**
 * Finds the series of a metric by its labels, without garbage. Creates those that are new. One level of the tree is one
 * label, and each branch is one of its values.
 */
class SeriesIndex<Series> {
  readonly #labelNames: readonly string[];
  readonly #create: (labels: LabelSet) => Series;
  readonly #root: Branch<Series> = { branches: new Map(), series: undefined };

  constructor(labelNames: readonly string[], create: (labels: LabelSet) => Series) {
    this.#labelNames = labelNames;
    this.#create = create;
  }

  of(labels: LabelSet): Series {
    let branch = this.#root;
    for (const name of this.#labelNames) branch = branchOf(branch, labels[name] ?? '');
    branch.series ??= this.#create(labels);
    return branch.series;
  }
}

interface Branch<Series> {
  readonly branches: Map<string, Branch<Series>>;
  series: Series | undefined;
}

function branchOf<Series>({ branches }: Branch<Series>, value: string): Branch<Series> {
  const known = branches.get(value);
  if (known !== undefined) return known;
  const created: Branch<Series> = { branches: new Map(), series: undefined };
  branches.set(value, created);
  return created;
}
