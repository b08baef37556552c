const textColumns: ReadonlySet<string> = new Set(['compared with', 'also', 'verdict']);

/** Returns a Markdown table, or nothing without rows. Columns are aligned to the right, except texts. */
export function table(heads: readonly string[], rows: readonly string[]): string {
  const rule = heads.map((head, index) => (index === 0 || textColumns.has(head) ? '---' : '---:'));
  return rows.length === 0 ? '' : [row(heads), row(rule), ...rows].join('\n');
}

/** Returns a row of a Markdown table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
