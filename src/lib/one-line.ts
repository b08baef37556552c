/** Longer texts are truncated, so that log lines and header values stay short. */
const maxCharacters = 256;

/** Returns the text on one line of at most 256 characters. Whitespace and control characters become single spaces. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  // A surrogate pair is never split.
  const start = line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
  return start.trimEnd();
}
