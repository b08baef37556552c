import type { IHeaders } from 'kafkajs';
import type { Decoder, RawRecord } from '../internals.ts';
import { replaceModule } from '../load.ts';
import { addHeader, emptyHeaders } from './message-headers.ts';

/** What kafkajs knows of the batch that a record is in. */
interface BatchContext {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly maxTimestamp: string;
  readonly timestampType: number;
  readonly magicByte: number;
  readonly isControlBatch: boolean;
}

const logAppendTime = 1;
const noBytes = Buffer.alloc(0);

/**
 * Decodes a record whatever its headers are called. kafkajs collected them in an object with a prototype: one by the name
 * of `constructor` had two values then, a function among them, and the partition stood still at that record for ever.
 * It also made the object anew for each header.
 */
export function repairDecodeRecord(): void {
  replaceModule(
    'kafkajs/src/protocol/recordBatch/record/v0/decoder.js',
    decodeRecord,
    /kafkajs\/src\/protocol\/recordBatch\/v0\/decoder\.js$/v,
  );
}

/** Record, https://kafka.apache.org/documentation/#record, its length left out. */
function decodeRecord(decoder: Decoder, batchContext: BatchContext): RawRecord & Readonly<Record<string, unknown>> {
  const { firstOffset, firstTimestamp, maxTimestamp, timestampType, magicByte, isControlBatch } = batchContext;
  const attributes = decoder.readInt8();
  // A producer's nanoseconds are more than a number holds exactly.
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
  const headers = emptyHeaders();
  for (let left = decoder.readVarInt(); left > 0; left -= 1)
    addHeader(headers, decoder.readVarIntString() ?? '', decoder.readVarIntBytes() ?? noBytes);
  return headers;
}
