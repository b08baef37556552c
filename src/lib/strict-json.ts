type StrictJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too_large'; readonly problem: string }
  /** A predicate that follows a subject such as "the value". */
  | { readonly kind: 'other'; readonly problem: string };

/** Despite its name, `ignoreBOM` keeps a byte order mark in the text, so that it can be refused. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Members and elements of one document. `JSON.parse` takes some 60 bytes of heap for each, and a document two of its bytes. */
const maxValues = 100_000;
/** A document of this size has no more values than that, so they need not be counted. */
const uncountedBytes = 2 * maxValues;

/** Parses JSON in UTF-8 without a byte order mark, of at most 100,000 values. Never throws. */
export function parseStrictJson(bytes: Uint8Array): StrictJson {
  if (bytes.length > uncountedBytes && countValues(bytes) > maxValues)
    return { kind: 'too_large', problem: `has more than ${maxValues} JSON values` };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { kind: 'other', problem: 'is not UTF-8' };
  }
  if (text.startsWith('\uFEFF')) return { kind: 'other', problem: 'begins with a byte order mark' };
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    // The message of the parser quotes the text, so it is dropped.
    return { kind: 'other', problem: 'is not JSON' };
  }
}

/** Returns true for a JSON object, and false for a list, null and the text of a number. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

const [quote, backslash, comma, space = 0] = Buffer.from('"\\, ');
const opening: ReadonlySet<number> = new Set(Buffer.from('[{'));
const closing: ReadonlySet<number> = new Set(Buffer.from(']}'));

/** Returns the number of members and elements in a JSON text, or in its beginning if they are too many. */
function countValues(bytes: Uint8Array): number {
  let values = 0;
  let isOpened = false;
  for (let at = 0; at < bytes.length && values <= maxValues; at += 1) {
    const byte = bytes[at] ?? space;
    if (byte <= space) continue;
    if (byte === comma || (isOpened && !closing.has(byte))) values += 1;
    isOpened = opening.has(byte);
    if (byte === quote) at = endOfText(bytes, at + 1);
  }
  return values;
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

declare global {
  /** The parts of `JSON` that TypeScript does not declare yet. */
  interface JSON {
    parse(text: string, reviver: ExactReviver): unknown;
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
  }
  /** The text of a value. `JSON.stringify` writes it unchanged. */
  interface RawJson {
    readonly rawJSON: string;
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
