/** Control characters and line breaks, and those that change the direction of text. The second leaves tabs and ends of lines. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const unprintableInLines = /(?!\t|\r?\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns a line that forges no other and moves no cursor: such characters become JSON escapes, so JSON keeps its meaning. */
export function printable(line: string): string {
  return line.replaceAll(unprintable, escaped);
}

/** Does the same to whole lines, such as those of a log or a file. */
export function printableLines(text: string): string {
  return text.replaceAll(unprintableInLines, escaped);
}

function escaped(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
