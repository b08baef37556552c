import type { IHeaders } from 'kafkajs';
import type { BatchContext, Decoder, KafkajsInternals, RawRecord } from '../internals.ts';
import { headersOf } from './message-headers.ts';
import type { Field } from './record-writer.ts';

export interface RecordBatch {
  /** The batch's last offset. Compaction may have removed its record. */
  readonly lastOffset: string;
  readonly records: readonly RawRecord[];
}

/** The parts of a batch that its records need. */
interface BatchHeader {
  /** The position after the batch. */
  readonly end: number;
  readonly attributes: number;
  readonly firstOffset: number;
  readonly lastOffset: string;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  readonly context: BatchContext;
}

const codecMask = 0x07;
const logAppendTimeFlag = 0x08;
const transactionalFlag = 0x10;
const controlFlag = 0x20;
/** Bytes of the leader's epoch, the format version and the checksum. kafkajs checks none of them. */
const uncheckedBytes = 9;
/** Bytes of the producer's epoch and of the first sequence number. */
const sequenceBytes = 6;

/**
 * Decodes the next record batch, https://kafka.apache.org/documentation/#recordbatch. Undefined if its end is missing. Returns
 * a promise for compressed batches only. Throws, or rejects, for a batch that is damaged.
 *
 * - kafkajs collects headers in an object with a prototype. A header named `constructor` got two values, one of them a
 *   function, and the partition never moved past that record. The library also loses the order of headers.
 * - kafkajs accepts a record whose length is wrong, and reads a batch with an unknown compression as one without.
 * - With a batch for each record, the decoder of kafkajs takes 3 KB of heap for it, and several promises.
 */
export function decodeBatch(
  kafkajs: Pick<KafkajsInternals, 'Decoder' | 'lookupCodec'>,
  decoder: Decoder,
): RecordBatch | Promise<RecordBatch> | undefined {
  const header = readHeader(decoder);
  if (header === undefined) return undefined;
  const { end, attributes, lastOffset } = header;
  const count = decoder.readInt32();
  if ((attributes & codecMask) === 0) {
    const records = decodeRecords(decoder, count, header);
    if (decoder.offset !== end) throw new RangeError('a batch has another length than it says');
    return { lastOffset, records };
  }
  const codec = kafkajs.lookupCodec(attributes);
  if (codec === null) throw new RangeError(`compression ${attributes & codecMask} is unknown`);
  const compressed = decoder.buffer.subarray(decoder.offset, end);
  decoder.offset = end;
  return codec
    .decompress(compressed)
    .then((records) => ({ lastOffset, records: decodeRecords(new kafkajs.Decoder(records), count, header) }));
}

function readHeader(decoder: Decoder): BatchHeader | undefined {
  const firstOffset = Number(readLong(decoder));
  const length = decoder.readInt32();
  if (!decoder.canReadBytes(length)) return undefined;
  const end = decoder.offset + length;
  decoder.offset += uncheckedBytes;
  const attributes = decoder.readInt16();
  const lastOffset = String(firstOffset + decoder.readInt32());
  const firstTimestamp = readLong(decoder);
  const maxTimestamp = readLong(decoder);
  const producerId = readLong(decoder);
  decoder.offset += sequenceBytes;
  const inTransaction = (attributes & transactionalFlag) !== 0;
  const context = { producerId, inTransaction, isControlBatch: (attributes & controlFlag) !== 0 };
  return { end, attributes, firstOffset, lastOffset, firstTimestamp, maxTimestamp, context };
}

function decodeRecords(decoder: Decoder, count: number, header: BatchHeader): readonly RawRecord[] {
  const records: RawRecord[] = [];
  for (let left = count; left > 0; left -= 1) records.push(decodeRecord(decoder, header));
  return records;
}

/** Decodes a record, https://kafka.apache.org/documentation/#record */
function decodeRecord(decoder: Decoder, header: BatchHeader): RawRecord {
  const length = decoder.readVarInt();
  const end = decoder.offset + length;
  // Its attributes, of which Kafka has none.
  decoder.readInt8();
  const timestamp = sumOf(header.firstTimestamp, readVarLong(decoder));
  const record = {
    timestamp: (header.attributes & logAppendTimeFlag) === 0 ? timestamp : header.maxTimestamp,
    offset: String(header.firstOffset + decoder.readVarInt()),
    key: decoder.readVarIntBytes(),
    value: decoder.readVarIntBytes(),
    headers: decodeHeaders(decoder),
    isControlRecord: header.context.isControlBatch,
    batchContext: header.context,
  };
  if (decoder.offset !== end) throw new RangeError('a record has another length than it says');
  return record;
}

/** Reads 64 bits. A timestamp in nanoseconds, which some producers write, is no safe integer. */
function readLong(decoder: Decoder): string {
  const { offset, buffer } = decoder;
  decoder.offset += 8;
  const value = buffer.readInt32BE(offset) * 2 ** 32 + buffer.readUInt32BE(offset + 4);
  return Number.isSafeInteger(value) ? String(value) : String(buffer.readBigInt64BE(offset));
}

/** Reads a zigzag varint. The library's method makes two objects for each of its bytes. */
function readVarLong(decoder: Decoder): number | bigint {
  const { offset } = decoder;
  let [value, scale] = [0, 1];
  for (let byte = 0x80; byte >= 0x80; scale *= 0x80) {
    byte = decoder.readInt8() & 0xff;
    value += (byte & 0x7f) * scale;
  }
  if (Number.isSafeInteger(value)) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  decoder.offset = offset;
  return decoder.readVarLong().value;
}

function sumOf(timestamp: string, delta: number | bigint): string {
  const first = Number(timestamp);
  const sum = first + Number(delta);
  const isExact = Number.isSafeInteger(first) && Number.isSafeInteger(sum);
  return isExact ? String(sum) : String(BigInt(timestamp) + BigInt(delta));
}

const noHeaders = headersOf([]);

function decodeHeaders(decoder: Decoder): IHeaders {
  let left = decoder.readVarInt();
  if (left === 0) return noHeaders;
  const fields: Field[] = [];
  for (; left > 0; left -= 1) fields.push(decoder.readVarIntString() ?? '', decoder.readVarIntBytes());
  return headersOf(fields);
}
