/**
 * Returns the bytes as a string that takes one byte a character in memory.
 * A `Buffer` of a few hundred bytes keeps a whole 8 KiB slab of Node's pool alive; a string does not.
 */
export function bytesToLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns the bytes that `bytesToLatin1` received. */
export function latin1ToBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
