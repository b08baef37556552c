import { inspect, isDeepStrictEqual } from 'node:util';

export interface Difference {
  readonly expected: string;
  readonly found: string;
}

const shownEntries = 4;

/** Describes how two values differ, as text. Lists and records are shown without what they have in common. */
export function differenceOf(expected: unknown, found: unknown): Difference {
  if (Array.isArray(expected) && Array.isArray(found)) {
    return { expected: listText(without(expected, found)), found: listText(without(found, expected)) };
  }
  if (isRecord(expected) && isRecord(found)) {
    return { expected: recordText(expected, found), found: recordText(found, expected) };
  }
  return { expected: text(expected), found: text(found) };
}

function without(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  return list.filter((item) => !other.some((one) => isDeepStrictEqual(one, item)));
}

function listText(items: readonly unknown[]): string {
  return text(items.slice(0, shownEntries)) + more(items.length);
}

function recordText(record: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): string {
  const differing = Object.entries(record).filter(([key, value]) => !isDeepStrictEqual(value, other[key]));
  return text(Object.fromEntries(differing.slice(0, shownEntries))) + more(differing.length);
}

function more(entries: number): string {
  return entries > shownEntries ? ` and ${entries - shownEntries} more` : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return inspect(value, { depth: 4, maxStringLength: 300, breakLength: 80, compact: 3 });
}
