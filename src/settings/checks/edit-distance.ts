/** How many characters have to be put in, taken out or replaced to make one text of the other (Levenshtein). */
export function editDistance(one: string, other: string): number {
  const [characters, others] = [Array.from(one), Array.from(other)];
  const start: readonly number[] = [0, ...others.map((_, index) => index + 1)];
  const last = characters.reduce((row, character, index) => nextRow(row, character, others, index + 1), start);
  return last.at(-1) ?? 0;
}

/** Distances from one more character of the one text to each beginning of the other. */
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
