type StrictJson =
  | { readonly kind: 'json'; readonly value: unknown }
  /** What is wrong, to follow a subject such as "the value". */
  | { readonly kind: 'other'; readonly problem: string };

/** `ignoreBOM` means that a byte order mark is kept, so that it can be refused. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON as the program that writes it is to write it: UTF-8, without a byte order mark. Never throws. */
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
    // The parser's own message quotes the text, so it goes no further.
    return { kind: 'other', problem: 'is not JSON' };
  }
}
