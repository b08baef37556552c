/** Returns the known name with the fewest changed characters. Undefined if all of them need more than `maxDistance`. */
export function nearestTo(name: string, known: readonly string[], maxDistance = Infinity): string | undefined {
  let nearest: string | undefined;
  let least = maxDistance;
  for (const one of known) {
    const distance = editDistance(name, one);
    if (distance < least || (nearest === undefined && distance === least)) [nearest, least] = [one, distance];
  }
  return nearest;
}

/** Returns the Levenshtein distance: the fewest characters to insert, delete or replace that turn one text into the other. */
function editDistance(one: string, other: string): number {
  // The distances from the characters of `one` so far to each prefix of `other`.
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(one).entries()) {
    const next = [index + 1];
    for (const [column, opposite] of Array.from(other).entries()) {
      const replaced = (row[column] ?? 0) + (character === opposite ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
