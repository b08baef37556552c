declare global {
  /** The parts of `JSON` that TypeScript does not declare yet. */
  interface JSON {
    parse(text: string, reviver: ExactReviver): unknown;
    rawJSON(text: string): object;
  }
}

/** `source` is the text of a value that is neither an object nor a list. */
type ExactReviver = (name: string, value: unknown, context: { readonly source: string }) => unknown;

/** Parses JSON whose numbers keep their digits when it is written again. `JSON.parse` alone would round them. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_name, found, { source }) => (typeof found === 'number' ? JSON.rawJSON(source) : found));
}

/** Returns the text of a JSON value without tabs and line breaks. They can only stand between its parts. */
export function onOneLine(text: string): string {
  return text.trim().replaceAll(/[\t\r\n]\s*/g, '');
}
