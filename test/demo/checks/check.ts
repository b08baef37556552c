import { isDeepStrictEqual } from 'node:util';
import { differenceOf, type Difference } from './difference.ts';

/** One expectation and its result. */
export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
}

type Verdict = { readonly kind: 'ok' } | ({ readonly kind: 'failed' } & Difference);

export function expectEqual(name: string, expected: unknown, found: unknown): Check {
  if (isDeepStrictEqual(expected, found)) return { name, verdict: { kind: 'ok' } };
  return { name, verdict: { kind: 'failed', ...differenceOf(expected, found) } };
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
