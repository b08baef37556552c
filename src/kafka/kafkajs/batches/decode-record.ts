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
  // A timestamp in nanoseconds, which some producers write, is no safe integer.
  const timestamp = String(BigInt(firstTimestamp) + decoder.readVarLong().value);
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

function decodeHeaders(decoder: Decoder): IHeaders {
  const fields: Field[] = [];
  for (let left = decoder.readVarInt(); left > 0; left -= 1)
    fields.push(decoder.readVarIntString() ?? '', decoder.readVarIntBytes());
  return headersOf(fields);
}
