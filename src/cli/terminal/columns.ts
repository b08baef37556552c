import { oneLine } from '../../lib/printable.ts';

/** The text of each cell by the title of its column, in this order. Undefined is shown as `-`. Put long cells last. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | undefined>>;

/** Aligns more rows than memory holds: measure all of them first, then format each. `oneLine` bounds foreign texts. */
export class ColumnTable<Row> {
  readonly #cells: Columns<Row>[string][];
  readonly #titles: readonly string[];
  readonly #widths: number[];
  readonly #format: (text: string) => string;

  constructor(columns: Columns<Row>, format: (text: string) => string = oneLine) {
    this.#cells = Object.values(columns);
    this.#titles = Object.keys(columns);
    this.#widths = this.#titles.map(({ length }) => length);
    this.#format = format;
  }

  measure(row: Row): void {
    for (const [column, { length }] of this.#textsOf(row).entries())
      this.#widths[column] = Math.max(this.#widths[column] ?? 0, length);
  }

  /** Formats a row, or the titles. */
  line(row?: Row): string {
    const texts = row === undefined ? this.#titles : this.#textsOf(row);
    return texts
      .map((text, column) => text.padEnd(this.#widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  }

  #textsOf(row: Row): readonly string[] {
    return this.#cells.map((cell) => this.#format(String(cell(row) ?? '-')));
  }
}

/** Formats rows below their titles. Without a row, there are no titles. */
export function table<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  format?: (text: string) => string,
): readonly string[] {
  const formatted = new ColumnTable(columns, format);
  for (const row of rows) formatted.measure(row);
  return rows.length === 0 ? [] : [formatted.line(), ...rows.map((row) => formatted.line(row))];
}
