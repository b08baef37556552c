import type { Parsed } from './codec.ts';

/** `ignoreBOM` means that a byte order mark is kept, so that it can be refused. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON decoded strictly. The body is the value itself, byte for byte. */
export function parseJson(value: Buffer): Parsed {
  let text: string;
  try {
    text = utf8.decode(value);
  } catch {
    return { kind: 'undecodable', message: 'the value is not UTF-8' };
  }
  if (text.startsWith('\uFEFF')) return { kind: 'undecodable', message: 'the value begins with a byte order mark' };
  try {
    return { kind: 'parsed', document: JSON.parse(text), body: value };
  } catch {
    // The parser's own message quotes the value, so it goes no further.
    return { kind: 'undecodable', message: 'the value is not JSON' };
  }
}
