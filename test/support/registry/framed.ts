/** Writes a value in Confluent framing. */
export function framed(schemaId: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, payload]);
}

/** Writes the message indexes of Confluent's Protobuf framing: the position of the message in its file. */
export function messageIndexes(...indexes: readonly number[]): Buffer {
  if (indexes.length === 1 && indexes[0] === 0) return Buffer.of(0);
  // A zigzag number below 64 is one byte.
  return Buffer.from([indexes.length, ...indexes].map((index) => index * 2));
}
