import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';

const require = createRequire(import.meta.url);
const crc32C: (bytes: Buffer) => number = require('kafkajs/src/protocol/recordBatch/crc32C');

/** A record whose headers are bytes already: their count, and what follows it. */
export interface RawRecord {
  readonly key?: Buffer | null;
  readonly value?: Buffer | null;
  readonly headers?: Buffer;
}

/** Encodes a record batch, without building its headers. */
export function encodeRawBatch(records: Iterable<RawRecord>, compression: 'none' | 'gzip' = 'none'): Buffer {
  const encoded = [...records].map(encodeRecord);
  const content = Buffer.concat(encoded);
  const body = compression === 'gzip' ? gzipSync(content) : content;
  const header = Buffer.alloc(61);
  header.writeInt32BE(49 + body.length, 8);
  header[16] = 2;
  header.writeInt16BE(compression === 'gzip' ? 1 : 0, 21);
  header.writeInt32BE(encoded.length - 1, 23);
  for (const at of [27, 35]) header.writeBigInt64BE(BigInt(Date.now()), at);
  header.fill(0xff, 43, 57);
  header.writeInt32BE(encoded.length, 57);
  const batch = Buffer.concat([header, body]);
  batch.writeUInt32BE(crc32C(batch.subarray(21)) >>> 0, 17);
  return batch;
}

/** Encodes headers without name and value, of which each takes two bytes. */
export function emptyHeaders(count: number): Buffer {
  return Buffer.concat([varint(count), Buffer.alloc(2 * count)]);
}

/** Writes a batch as it is, to a partition that this broker leads. Rejects if the broker refuses it. */
export async function writeRawBatch(broker: string, topic: string, partition: number, batch: Buffer): Promise<void> {
  const [host = '', port = ''] = broker.split(':');
  const produce = [int16(0), int16(7), int32(1), text('raw'), int16(-1), int16(-1), int32(30_000)];
  const one = [int32(1), text(topic), int32(1), int32(partition), int32(batch.length), batch];
  const request = Buffer.concat([...produce, ...one]);
  const socket = connect({ host, port: Number(port) });
  try {
    await once(socket, 'connect');
    socket.write(Buffer.concat([int32(request.length), request]));
    let answer = Buffer.alloc(0);
    while (answer.length < 4 || answer.length < 4 + answer.readInt32BE()) {
      const [chunk]: Buffer[] = await once(socket, 'data');
      answer = Buffer.concat([answer, chunk ?? Buffer.alloc(0)]);
    }
    const errorCode = answer.readInt16BE(4 + 4 + 4 + 2 + Buffer.byteLength(topic) + 4 + 4);
    if (errorCode !== 0) throw new Error(`The broker refuses the batch with error ${errorCode}.`);
  } finally {
    socket.destroy();
  }
}

function encodeRecord({ key = null, value = null, headers = varint(0) }: RawRecord, offsetDelta: number): Buffer {
  const noTime = Buffer.alloc(2);
  const record = Buffer.concat([noTime, varint(offsetDelta), ...field(key), ...field(value), headers]);
  return Buffer.concat([varint(record.length), record]);
}

function field(bytes: Buffer | null): readonly Buffer[] {
  return bytes === null ? [varint(-1)] : [varint(bytes.length), bytes];
}

/** Encodes a signed integer: zigzag, then base 128 with the lowest digit first. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
}

export function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

export function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}
