/**
 * Returns the Levenshtein distance: the number of characters to insert, delete or replace to turn one text into the
 * other.
 */
export function editDistance(one: string, other: string): number {
  const [characters, others] = [Array.from(one), Array.from(other)];
  const start: readonly number[] = [0, ...others.map((_, index) => index + 1)];
  const last = characters.reduce((row, character, index) => nextRow(row, character, others, index + 1), start);
  return last.at(-1) ?? 0;
}

/** Returns the distances from one more character of the first text to each prefix of the other. */
function nextRow(
  row: readonly number[],
  character: string,
  others: readonly string[],
  first: number,
): readonly number[] {
  const next = [first];
  for (const [column, other] of others.entries()) {
    const replaced = (row[column] ?? 0) + (character === other ? 0 : 1);
    next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
  }
  return next;
}
