import assert from 'node:assert/strict';

/** One expectation and its result. */
export interface Check {
  readonly name: string;
  /** The difference between what was expected and what was found; undefined if there is none. */
  readonly problem: string | undefined;
}

export function expectEqual(name: string, expected: unknown, found: unknown): Check {
  try {
    assert.deepEqual(found, expected);
    return { name, problem: undefined };
  } catch (error) {
    return { name, problem: String(error) };
  }
}

/** Counts equal texts. Their numbers are easier to compare than a long list. */
export function counted(texts: Iterable<string>): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns what `counted` returns for `count` copies of the text. */
export function times(count: number, text: string): Readonly<Record<string, number>> {
  return count === 0 ? {} : { [text]: count };
}
