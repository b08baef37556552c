/** A value in Confluent framing. */
export function framed(schemaId: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, payload]);
}

/** What Confluent's Protobuf framing has in front of a message: where in its file it is declared. */
export function messageIndexes(...indexes: readonly number[]): Buffer {
  if (indexes.length === 1 && indexes[0] === 0) return Buffer.of(0);
  // Below 64 a zigzag number is one byte.
  return Buffer.from([indexes.length, ...indexes].map((index) => index * 2));
}
