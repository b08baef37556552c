import type { Kind, Parsed } from './kind.ts';

/** What an item has to be towards the items before it, besides being an item. */
export interface ListRule<T> {
  /** Completes "expected …". */
  readonly expected: string;
  holds(item: T, before: readonly T[]): boolean;
}

/** A comma-separated list of at least one item. The first item that is wrong is named. */
export function listOf<T>(item: Kind<T>, rule: ListRule<NoInfer<T>>): Kind<readonly T[]> {
  return {
    expected: `a comma-separated list, ${rule.expected}, each ${item.expected}`,
    parse: (text) => parseList(text, item, rule),
  };
}

export function noneTwice<T>(identify: (item: T) => string): ListRule<T> {
  return {
    expected: 'nothing twice',
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
