/** Counts by name, for people. */
export class CountsByName {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    if (count > 0) this.#counts.set(name, this.of(name) + count);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The largest first; beyond so many the rest as one. */
  lines(most = 20): readonly string[] {
    const all = [...this.#counts].toSorted(([, one], [, other]) => other - one);
    const rest = all.slice(most);
    const told = all.slice(0, most).map(([name, count]) => `  ${name}: ${count}`);
    if (rest.length === 0) return told;
    return [...told, `  ${rest.length} others: ${rest.reduce((sum, [, count]) => sum + count, 0)}`];
  }
}
