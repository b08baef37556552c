import { formatDuration, formatSize, parseDuration, parseSize } from '../../lib/units.ts';

/** A kind of value: how its text is parsed, and how it is described. */
export interface Kind<T> {
  /** Completes "expected …" in a problem, and describes the value in the documentation. In Markdown. */
  readonly expected: string;
  parse(text: string): Parsed<T>;
}

export type Parsed<T> =
  | { readonly kind: 'value'; readonly value: T }
  /**
   * `part` is the piece of the text that is wrong. `expected` describes that piece. Both default to the whole text and
   * the kind's own `expected`.
   */
  | { readonly kind: 'wrong'; readonly part?: string; readonly expected?: string };

/** Returns a kind whose parser returns undefined for a wrong text. */
export function kindOf<T>(expected: string, parse: (text: string) => T | undefined): Kind<T> {
  return {
    expected,
    parse(text) {
      const value = parse(text);
      return value === undefined ? { kind: 'wrong' } : { kind: 'value', value };
    },
  };
}

export function matching(expected: string, pattern: RegExp): Kind<string> {
  return kindOf(expected, (text) => (pattern.test(text) ? text : undefined));
}

export const boolean: Kind<boolean> = kindOf('`true` or `false`', (text) =>
  text === 'true' || text === 'false' ? text === 'true' : undefined,
);

export function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  const expected = choices.map((choice) => `\`${choice}\``).join(', ');
  return kindOf(`one of ${expected}`, (text) => choices.find((choice) => choice === text));
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

export function wholeNumber(bounds: Bounds): Kind<number> {
  return kindOf(`a whole number from ${bounds.min} to ${bounds.max}`, (text) =>
    within(bounds, /^\d{1,15}$/.test(text) ? Number(text) : undefined),
  );
}

export function duration(boundsMs: Bounds): Kind<number> {
  const [min, max] = [formatDuration(boundsMs.min), formatDuration(boundsMs.max)];
  return kindOf(`a duration from \`${min}\` to \`${max}\``, (text) => within(boundsMs, parseDuration(text)));
}

export function size(boundsBytes: Bounds): Kind<number> {
  const [min, max] = [formatSize(boundsBytes.min), formatSize(boundsBytes.max)];
  return kindOf(`a size from \`${min}\` to \`${max}\``, (text) => within(boundsBytes, parseSize(text)));
}

function within({ min, max }: Bounds, value: number | undefined): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

/** A rule about an item and the items before it. */
interface ListRule<T> {
  /** Completes "expected a list, …". */
  readonly expected: string;
  holds(item: T, before: readonly T[]): boolean;
}

/** Returns the kind of a comma-separated list with at least one item. A problem names the first wrong item. */
export function listOf<T>(item: Kind<T>, rule: ListRule<NoInfer<T>> = unique()): Kind<readonly T[]> {
  return {
    expected: `a comma-separated list, ${rule.expected}, each ${item.expected}`,
    parse: (text) => parseList(text, item, rule),
  };
}

export function unique<T>(identify: (item: T) => string = JSON.stringify): ListRule<T> {
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
