import type { Decoder, KafkajsInternals, PartitionData, RawRecord, BatchContext } from '../internals.ts';
import { placeholder } from './aborted-records.ts';
import { type RecordHeaders, costOf, headerLimits, type HeaderLimits } from '../../../certificates/record.ts';

/** The position of the format version in a batch. Version 2 is the record batch of Kafka 0.11 and later. */
const magicAt = 16;
const recordBatchMagic = 2;
/** The header of a record batch, counted from after its length field up to its first record. */
const batchOverheadBytes = 49;

export type Decoding = Pick<KafkajsInternals, 'Decoder' | 'lookupCodec' | 'decodeMessageSet'>;

/**
 * Adds the records of one partition within the scope. Never rejects.
 *
 * - kafkajs passes all records of a batch as arguments of one call. About 120,000 records overflow the stack, which stopped
 *   the consumer for good. Here records are added one by one. github.com/tulios/kafkajs/pull/1723
 * - kafkajs continues after the last record of a batch. Compaction may remove that record, but the batch keeps its last
 *   offset. Such a batch was fetched again once per missing offset, and for ever when it was empty. Here an end mark is
 *   added at the batch's last offset.
 * - In kafkajs a batch that can't be decoded fails the whole response, and so all partitions of the broker. Here it ends
 *   the records of its own partition. If it is the first batch, the partition is marked as unreadable.
 */
export async function decodeInto(data: PartitionData, kafkajs: Decoding, scope: AnswerScope): Promise<void> {
  const { bytes, messages } = data;
  const { left } = scope;
  const decoder = new kafkajs.Decoder(bytes);
  try {
    if (bytes.readInt8(magicAt) !== recordBatchMagic)
      return add({ records: await kafkajs.decodeMessageSet(decoder, bytes.length), lastOffset: undefined }, messages);
    while (decoder.canReadBytes(batchOverheadBytes) && left.records > 0 && left.content > 0) {
      const decoded = decodeBatch(kafkajs, decoder, scope);
      // The byte limit of a response may truncate its last batch.
      if (decoded === undefined) break;
      const batch = decoded instanceof Promise ? await decoded : decoded;
      add(batch, messages);
      if (batch.lastOffset === undefined) break;
    }
  } catch (error) {
    if (messages.length === 0) data.unreadable = new UnreadableRecordsError(error);
  }
}

/** The reason why records at the fetched position can't be decoded: they are damaged or too large for memory. */
export class UnreadableRecordsError extends Error {
  override readonly name = 'UnreadableRecordsError';

  constructor(cause: unknown) {
    super("the records there can't be decoded", { cause });
  }
}

/** Adds all records of the batch, and an end mark if it is read to its end. */
function add({ records: decoded, lastOffset }: RecordBatch, records: RawRecord[]): void {
  for (const record of decoded) records.push(record);
  if (lastOffset !== undefined && decoded.at(-1)?.offset !== lastOffset) records.push(placeholder(lastOffset));
}

interface RecordBatch {
  /** The batch's last offset. Compaction may have removed its record. Undefined if the next answer has to give the rest. */
  readonly lastOffset: string | undefined;
  readonly records: readonly RawRecord[];
}

/** The part of an answer that is built. */
export interface AnswerScope {
  /** Records below this offset are skipped. */
  readonly from: number;
  readonly headers: HeaderLimits;
  /** Bytes that records may still cost, and decompressed content, over all partitions. Their last one may exceed them. */
  readonly left: { records: number; content: number };
}

/** A compressed answer of some kilobytes may hold gigabytes. What exceeds this is fetched again. */
const maxAnswerBytes = 8 * 1024 * 1024;

export function scopeOf(headers: HeaderLimits = headerLimits, bytes: number = maxAnswerBytes): AnswerScope {
  return { from: 0, headers, left: { records: bytes, content: bytes } };
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
  scope: AnswerScope = scopeOf(),
): RecordBatch | Promise<RecordBatch> | undefined {
  const header = readHeader(decoder);
  if (header === undefined) return undefined;
  const { end, attributes } = header;
  const count = decoder.readInt32();
  if ((attributes & codecMask) === 0) {
    const batch = decodeRecords(decoder, count, header, scope);
    if (batch.lastOffset !== undefined && decoder.offset !== end)
      throw new RangeError('a batch has another length than it says');
    decoder.offset = end;
    return batch;
  }
  const codec = kafkajs.lookupCodec(attributes);
  if (codec === null) throw new RangeError(`compression ${attributes & codecMask} is unknown`);
  const compressed = decoder.buffer.subarray(decoder.offset, end);
  decoder.offset = end;
  return codec.decompress(compressed).then((content) => {
    scope.left.content -= content.length;
    return decodeRecords(new kafkajs.Decoder(content), count, header, scope);
  });
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

/** Decodes records within the scope, and at least one. */
function decodeRecords(decoder: Decoder, count: number, header: BatchHeader, scope: AnswerScope): RecordBatch {
  const records: RawRecord[] = [];
  for (let left = count; left > 0; left -= 1) {
    if (records.length > 0 && scope.left.records <= 0) return { lastOffset: undefined, records };
    const record = decodeRecord(decoder, header, scope);
    if (record !== undefined) records.push(record);
  }
  return { lastOffset: header.lastOffset, records };
}

/** Decodes a record, https://kafka.apache.org/documentation/#record. Returns undefined for one that is skipped. */
function decodeRecord(decoder: Decoder, header: BatchHeader, scope: AnswerScope): RawRecord | undefined {
  const length = decoder.readVarInt();
  const end = decoder.offset + length;
  // Its attributes, of which Kafka has none.
  decoder.readInt8();
  const timestampDelta = readVarLong(decoder);
  const offset = header.firstOffset + decoder.readVarInt();
  if (offset < scope.from) {
    // A length can be wrong here as well, but never lead back.
    decoder.offset = Math.max(decoder.offset, end);
    return undefined;
  }
  const timestamp = sumOf(header.firstTimestamp, timestampDelta);
  const key = decoder.readVarIntBytes();
  const value = decoder.readVarIntBytes();
  const count = decoder.readVarInt();
  const headers = decodeHeaders(decoder, count, end, scope.headers);
  if (decoder.offset !== end) throw new RangeError('a record has another length than it says');
  scope.left.records -= costOf(length, headers === undefined ? 0 : count);
  return {
    timestamp: (header.attributes & logAppendTimeFlag) === 0 ? timestamp : header.maxTimestamp,
    offset: String(offset),
    key,
    value,
    headers: headers ?? noHeaders,
    headersOmitted: headers === undefined,
    isControlRecord: header.context.isControlBatch,
    batchContext: header.context,
  };
}

/** Reads 64 bits. A timestamp in nanoseconds, which some producers write, is no safe integer. */
export function readLong(decoder: Decoder): string {
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

const noHeaders: RecordHeaders = [];

/** Builds the headers of a record that ends there. Returns undefined if they exceed the limits. */
function decodeHeaders(decoder: Decoder, count: number, end: number, limits: HeaderLimits): RecordHeaders | undefined {
  if (count === 0) return noHeaders;
  let left = limits.bytes;
  // The lengths of a name and a value have 10 bytes at most.
  if (count <= limits.count && end - decoder.offset <= left + 10 * count) {
    const headers: (readonly [string, Buffer | null])[] = [];
    for (let built = 0; built < count; built += 1) {
      const name = decoder.readVarIntString() ?? '';
      const value = decoder.readVarIntBytes();
      left -= Buffer.byteLength(name) + (value?.length ?? 0);
      headers.push([name, value]);
    }
    if (left >= 0) return headers;
  }
  decoder.offset = end;
  return undefined;
}
