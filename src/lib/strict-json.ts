type StrictJson =
  | { readonly kind: 'json'; readonly value: unknown }
  /** A predicate that follows a subject such as "the value". */
  | { readonly kind: 'other'; readonly problem: string };

/** Despite its name, `ignoreBOM` keeps a byte order mark in the text, so that it can be refused. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses JSON in UTF-8 without a byte order mark. Never throws. */
export function parseStrictJson(bytes: Uint8Array): StrictJson {
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
