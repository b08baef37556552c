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
