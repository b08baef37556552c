/** One reason why the settings can't be used: which variable, what it was given and what it takes. */
export interface Problem {
  readonly variable: string;
  /** As it is to be printed, quoted, or `set` for what is not repeated; undefined when the variable is not set. */
  readonly given: string | undefined;
  /** Completes "expected …", in Markdown. */
  readonly expected: string;
}

const longestGiven = 200;

/** One line for a terminal or a log. */
export function describeProblem({ variable, given, expected }: Problem): string {
  const found = given === undefined ? 'is not set' : `is ${given}`;
  return `${variable} ${found}: expected ${expected.replaceAll('`', '')}`;
}

/**
 * A given text as it may be printed: on one line, of bounded length, and without what stands before an `@`, where a URL
 * that was put in the wrong place has its credentials.
 */
export function quote(text: string): string {
  const open = text.slice(text.lastIndexOf('@') + 1);
  const shown = open.length === text.length ? text : `[secret]@${open}`;
  return JSON.stringify(shown.length > longestGiven ? `${shown.slice(0, longestGiven)}…` : shown);
}
