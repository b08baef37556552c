export type LabelSet = Readonly<Record<string, string>>;

/**
 * Finds the series of a metric by its labels, without garbage. Creates those that are new. One level of the tree is one
 * label, and each branch is one of its values.
 */
export class SeriesIndex<Series> {
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
