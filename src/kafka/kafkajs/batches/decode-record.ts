import type { IHeaders } from 'kafkajs';
import type { BatchContext, Decoder, RawRecord } from '../internals.ts';
import { replaceModule } from '../load.ts';
import { headersOf } from './message-headers.ts';
import type { Field } from './record-writer.ts';

/** The fields of a batch that kafkajs passes to the decoder of its records. */
interface RecordBatchContext extends BatchContext {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  readonly timestampType: number;
  readonly magicByte: number;
}

const logAppendTime = 1;

/**
 * Decodes a record with any headers.
 *
 * kafkajs collects headers in an object with a prototype. A header named `constructor` got two values, one of them a
 * function, and the partition never moved past that record. The library also copies the object for each header, and loses
 * their order.
 */
export function repairDecodeRecord(): void {
  replaceModule(
    'kafkajs/src/protocol/recordBatch/record/v0/decoder.js',
    decodeRecord,
    /kafkajs\/src\/protocol\/recordBatch\/v0\/decoder\.js$/v,
  );
}

/** Decodes a Record without its length, https://kafka.apache.org/documentation/#record */
function decodeRecord(
  decoder: Decoder,
  batchContext: RecordBatchContext,
): RawRecord & Readonly<Record<string, unknown>> {
  const { firstOffset, firstTimestamp, maxTimestamp, timestampType, magicByte, isControlBatch } = batchContext;
  const attributes = decoder.readInt8();
  const timestamp = sumOf(firstTimestamp, readVarLong(decoder));
  const offset = Number(firstOffset) + decoder.readVarInt();
  return {
    magicByte,
    attributes,
    timestamp: timestampType === logAppendTime ? maxTimestamp : timestamp,
    offset: String(offset),
    key: decoder.readVarIntBytes(),
    value: decoder.readVarIntBytes(),
    headers: decodeHeaders(decoder),
    isControlRecord: isControlBatch,
    batchContext,
  };
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

/** A timestamp in nanoseconds, which some producers write, is no safe integer. */
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
