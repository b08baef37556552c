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

interface Bounds<T> {
  readonly min: T;
  readonly max: T;
}

export function wholeNumber(bounds: Bounds<number>): Kind<number> {
  return kindOf(`a whole number from ${bounds.min} to ${bounds.max}`, (text) =>
    within(bounds, /^\d{1,15}$/.test(text) ? Number(text) : undefined),
  );
}

/** Parses a duration into milliseconds. */
export function duration(boundsMs: Bounds<number>): Kind<number> {
  const [min, max] = [formatDuration(boundsMs.min), formatDuration(boundsMs.max)];
  return kindOf(`a duration from \`${min}\` to \`${max}\``, (text) => within(boundsMs, parseDuration(text)));
}

/** Parses a size into bytes. */
export function size(boundsBytes: Bounds<number>): Kind<number> {
  const [min, max] = [formatSize(boundsBytes.min), formatSize(boundsBytes.max)];
  return kindOf(`a size from \`${min}\` to \`${max}\``, (text) => within(boundsBytes, parseSize(text)));
}

function within({ min, max }: Bounds<number>, value: number | undefined): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}
