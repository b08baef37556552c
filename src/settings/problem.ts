/** One reason why the settings cannot be used: the variable, the value found, and the value expected. */
export interface Problem {
  readonly variable: string;
  /** The value as it may be printed, such as `"x"` or `[secret]`. Undefined if the variable is not set. */
  readonly found: string | undefined;
  /** Completes "expected …", in Markdown. */
  readonly expected: string;
}

/** Characters that `quote` shows of a value. Longer values would make the line unreadable. */
const longestQuote = 200;

export function describeProblem({ variable, found, expected }: Problem): string {
  const state = found === undefined ? 'is not set' : `is ${found}`;
  return `${variable} ${state}: expected ${expected.replaceAll('`', '')}`;
}

/**
 * Quotes a value for printing, on one line and of bounded length. Everything before an `@` is hidden: a URL in the
 * wrong variable has its credentials there.
 */
export function quote(text: string): string {
  const open = text.slice(text.lastIndexOf('@') + 1);
  const shown = open.length === text.length ? text : `[secret]@${open}`;
  return JSON.stringify(shown.length > longestQuote ? `${shown.slice(0, longestQuote)}…` : shown);
}
