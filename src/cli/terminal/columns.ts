/** Aligns columns over more rows than memory holds: measure all rows first, then format each. Put long cells last. */
export class Columns {
  readonly #widths: number[] = [];

  measure(cells: readonly string[]): void {
    for (const [column, cell] of cells.entries())
      this.#widths[column] = Math.max(this.#widths[column] ?? 0, cell.length);
  }

  line(cells: readonly string[]): string {
    return cells
      .map((cell, column) => cell.padEnd(this.#widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  }
}

export function align(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = new Columns();
  for (const row of rows) columns.measure(row);
  return rows.map((row) => columns.line(row));
}
