/**
 * Returns a line that forges no other, moves no cursor and turns no text around. Such characters become JSON escapes, so JSON
 * keeps its meaning.
 */
export const printable = escaping(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu);

/** Does the same to whole lines, such as those of a log or a file. Tabs and the ends of lines stay. */
export const printableLines = escaping(/(?!\t|\r?\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu);

function escaping(pattern: RegExp): (text: string) => string {
  return (text) => text.replaceAll(pattern, (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Longer texts are truncated, so that log lines and header values stay short. */
const maxCharacters = 256;

/** Returns the text on one line of at most 256 characters. Whitespace and control characters become single spaces. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  // A surrogate pair is never split.
  const start = line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
  return start.trimEnd();
}
