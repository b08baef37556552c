/**
 * Writes the ASN.1 elements of an X.509 certificate, in DER (ITU-T X.690). Node can sign and parse certificates, but not
 * write them. Libraries for that are much larger than this file.
 */
export const der = {
  sequence: (...contents: readonly Buffer[]): Buffer => element(0x30, ...contents),
  set: (...contents: readonly Buffer[]): Buffer => element(0x31, ...contents),
  true: (): Buffer => element(0x01, Buffer.of(0xff)),
  /** A whole number of one byte, below 128. */
  integer: (value: number): Buffer => element(0x02, Buffer.of(value)),
  /** A big-endian number. Its first bit must be 0, otherwise it is negative. */
  longInteger: (bytes: Buffer): Buffer => element(0x02, bytes),
  bitString: (bytes: Buffer, unusedBits = 0): Buffer => element(0x03, Buffer.of(unusedBits), bytes),
  octetString: (bytes: Buffer): Buffer => element(0x04, bytes),
  objectIdentifier: (dotted: string): Buffer => element(0x06, objectIdentifier(dotted)),
  text: (value: string): Buffer => element(0x0c, Buffer.from(value, 'utf8')),
  /** A UTCTime, which RFC 5280 requires up to the year 2049. */
  time: (date: Date): Buffer => element(0x17, Buffer.from(`${date.toISOString().replaceAll(/\D/g, '').slice(2, 14)}Z`)),
  /** `[tag] EXPLICIT`: the elements, wrapped. */
  explicit: (tag: number, ...contents: readonly Buffer[]): Buffer => element(0xa0 + tag, ...contents),
  /** `[tag] IMPLICIT` of a primitive type: the bytes, under another tag. */
  implicit: (tag: number, bytes: Buffer): Buffer => element(0x80 + tag, bytes),
} as const;

function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.of(bytes);
  if (bytes < 0x100) return Buffer.of(0x81, bytes);
  return Buffer.of(0x82, bytes >> 8, bytes & 0xff);
}

/** Encodes an identifier. The first two arcs share a byte; other arcs are in base 128, with continuation bits. */
function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  return Buffer.from([40 * first + second, ...arcs.flatMap(base128)]);
}

function base128(arc: number): readonly number[] {
  const bytes = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(128 + (rest % 128));
  return bytes;
}
