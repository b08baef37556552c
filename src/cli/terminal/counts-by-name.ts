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

  /** Formats the largest counts first. Sums up all others in one line. */
  lines(maxLines = 20): readonly string[] {
    const all = [...this.#counts].toSorted(([, one], [, other]) => other - one);
    const others = all.slice(maxLines);
    const lines = all.slice(0, maxLines).map(([name, count]) => `  ${name}: ${count}`);
    if (others.length === 0) return lines;
    return [...lines, `  ${others.length} others: ${others.reduce((sum, [, count]) => sum + count, 0)}`];
  }
}
