import type { Kind, Parsed } from './kind.ts';

/** A rule about an item and the items before it. */
interface ListRule<T> {
  /** Completes "expected a list, …". */
  readonly expected: string;
  holds(item: T, before: readonly T[]): boolean;
}

/** Returns the kind of a comma-separated list with at least one item. A problem names the first wrong item. */
export function listOf<T>(item: Kind<T>, rule: ListRule<NoInfer<T>>): Kind<readonly T[]> {
  return {
    expected: `a comma-separated list, ${rule.expected}, each ${item.expected}`,
    parse: (text) => parseList(text, item, rule),
  };
}

export function unique<T>(identify: (item: T) => string): ListRule<T> {
  return {
    expected: 'without duplicates',
    holds: (item, before) => before.every((earlier) => identify(earlier) !== identify(item)),
  };
}

export const ascending: ListRule<number> = {
  expected: 'strictly ascending',
  holds: (item, before) => before.every((earlier) => earlier < item),
};

function parseList<T>(text: string, item: Kind<T>, rule: ListRule<T>): Parsed<readonly T[]> {
  const values: T[] = [];
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const parsed = item.parse(part);
    if (parsed.kind === 'wrong') return { kind: 'wrong', part, expected: parsed.expected ?? item.expected };
    if (!rule.holds(parsed.value, values)) return { kind: 'wrong', part, expected: `a list, ${rule.expected}` };
    values.push(parsed.value);
  }
  return { kind: 'value', value: values };
}
