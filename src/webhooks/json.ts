const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON as Kafka producers are to write it: UTF-8 without a byte order mark. Undefined when it is anything else. */
export function parseJson(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) };
  } catch {
    // The parser's message quotes the document, so it is not passed on.
    return undefined;
  }
}
