import { isFramed } from '../../certificates/framing.ts';

/** The beginning of an escape that can stand for any character of a JSON text, such as `\u0061`. */
const anyEscape = Buffer.from(String.raw`\u`);
const slashEscape = Buffer.from(String.raw`\/`);

/**
 * Searches values for a text before they are decoded. JSON, Avro and Protobuf hold a text as its UTF-8 bytes, so a value
 * without them need not be decoded. An escape of JSON may hide them, and an Avro field of bytes becomes Base64.
 */
export class ByteSearch {
  readonly #needles: readonly Buffer[];
  readonly #text: string;
  readonly #framedNeedle: Buffer | undefined;

  constructor(text: string) {
    const quoted = JSON.stringify(text).slice(1, -1);
    this.#needles = [...new Set([text, quoted])].map((one) => Buffer.from(one));
    this.#text = text;
    const bytes = Buffer.from(text, 'base64');
    this.#framedNeedle = bytes.toString('base64') === text ? bytes : undefined;
  }

  /** Returns false only if a decoded value can't have the text in a field. */
  mayBeIn(value: Buffer): boolean {
    if (this.isIn(value) || this.#mayBeEscapedIn(value)) return true;
    return isFramed(value) && this.#framedNeedle !== undefined && value.includes(this.#framedNeedle);
  }

  /** Returns true if the text stands in the value as it is. */
  isIn(value: Buffer): boolean {
    return this.#needles.some((needle) => value.includes(needle));
  }

  /** Returns false if no escape stands for a character of the text. Many producers escape all that is not ASCII. */
  #mayBeEscapedIn(value: Buffer): boolean {
    if (this.#text.includes('/') && value.includes(slashEscape)) return true;
    for (let at = value.indexOf(anyEscape); at !== -1; at = value.indexOf(anyEscape, at + 2)) {
      const code = Number.parseInt(value.toString('latin1', at + 2, at + 6), 16);
      if (this.#text.includes(String.fromCharCode(code))) return true;
    }
    return false;
  }
}
