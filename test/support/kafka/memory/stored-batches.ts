import type { PartitionLog, NewRecord } from '../../../simulation/broker/partition-log.ts';
import { BrokerError } from '../../../simulation/broker/errors.ts';
import { InflatedTooLargeError } from '../../../../src/kafka/codecs/compression-codec.ts';
import { registerCodecs } from '../../../../src/kafka/kafkajs/create-kafka.ts';
import { headerLimits } from '../../../../src/certificates/record.ts';
import { decodeBatch, scopeOf } from '../../../../src/kafka/kafkajs/fetch/record-batches.ts';
import { loadInternals } from '../../../../src/kafka/kafkajs/load.ts';

/** Record batches begin with their first offset and the length of the rest. */
const baseOffsetBytes = 8;
const prefixBytes = baseOffsetBytes + 4;
/** The bytes of a record batch without records, https://kafka.apache.org/documentation/#recordbatch */
const emptyBytes = 61;
const maxTimestampAt = 35;
const countAt = 57;

/** A batch as a producer has sent it. */
export interface ProducedBatch {
  readonly bytes: Buffer;
  readonly records: readonly NewRecord[];
}

interface StoredBatch {
  readonly base: number;
  /** The offset after its last record. */
  readonly end: number;
  readonly bytes: Buffer;
}

/**
 * The record batches of each partition, as they were produced: with their compression, headers and order.
 *
 * The memory broker keeps the records, and decides about offsets. Its offsets without a record are read as empty batches.
 */
export class StoredBatches {
  readonly #byLog = new WeakMap<PartitionLog, StoredBatch[]>();

  add(log: PartitionLog, base: number, { bytes, records }: ProducedBatch): void {
    const stored = Buffer.from(bytes);
    stored.writeBigInt64BE(BigInt(base));
    this.#of(log).push({ base, end: base + records.length, bytes: stored });
  }

  /** Forgets the batches before the start of the log. */
  trim(log: PartitionLog): void {
    const batches = this.#of(log);
    const kept = batches.findIndex(({ end }) => end > log.start);
    batches.splice(0, kept === -1 ? batches.length : kept);
  }

  /** Reads whole batches from the one with this offset on: no more than `maxBytes`, but one if `atLeastOne`. */
  read(
    log: PartitionLog,
    from: number,
    { maxBytes, atLeastOne }: { readonly maxBytes: number; readonly atLeastOne: boolean },
  ): Buffer {
    const parts: Buffer[] = [];
    let bytes = 0;
    for (const part of this.#partsFrom(log, from)) {
      bytes += part.length;
      if (bytes > maxBytes && !(atLeastOne && parts.length === 0)) break;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  *#partsFrom(log: PartitionLog, from: number): Generator<Buffer> {
    const batches = this.#of(log);
    let next = from;
    for (let index = firstAfter(batches, from); next < log.stableEnd;) {
      const batch = batches[index];
      const gapEnd = Math.min(batch?.base ?? log.stableEnd, log.stableEnd);
      if (gapEnd > next || batch === undefined) {
        yield emptyBatch(next, gapEnd);
        next = gapEnd;
      } else {
        yield batch.bytes;
        next = batch.end;
        index += 1;
      }
    }
  }

  #of(log: PartitionLog): StoredBatch[] {
    const batches = this.#byLog.get(log) ?? [];
    this.#byLog.set(log, batches);
    return batches;
  }
}

/** Returns the index of the first batch that ends after the offset. */
function firstAfter(batches: readonly StoredBatch[], offset: number): number {
  let [low, high] = [0, batches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((batches[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a batch of offsets without records, as compaction leaves it. */
function emptyBatch(base: number, end: number): Buffer {
  const batch = Buffer.alloc(emptyBytes, 0xff);
  batch.writeBigInt64BE(BigInt(base));
  batch.writeInt32BE(emptyBytes - prefixBytes, baseOffsetBytes);
  // The leader's epoch, the format, a checksum that our client does not check, and the attributes.
  batch.writeInt32BE(0, 12);
  batch.writeInt8(2, 16);
  batch.writeInt16BE(0, 21);
  batch.writeInt32BE(end - 1 - base, 23);
  batch.writeInt32BE(0, countAt);
  return batch;
}

/** Decodes what a producer sends for one partition. Throws `CORRUPT_MESSAGE` for anything but record batches. */
export async function decodeBatches(bytes: Buffer): Promise<readonly ProducedBatch[]> {
  registerCodecs();
  const kafkajs = loadInternals();
  const batches: ProducedBatch[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const length = rest.length < prefixBytes ? 0 : prefixBytes + rest.readInt32BE(baseOffsetBytes);
    const batch = rest.subarray(0, length);
    batches.push({ bytes: batch, records: await decode(batch, kafkajs) });
    rest = rest.subarray(length);
  }
  return batches;
}

async function decode(batch: Buffer, kafkajs: ReturnType<typeof loadInternals>): Promise<readonly NewRecord[]> {
  try {
    const scope = scopeOf(headerLimits, Number.POSITIVE_INFINITY);
    const { records = [] } = (await decodeBatch(kafkajs, new kafkajs.Decoder(batch), scope)) ?? {};
    if (records.length === 0) throw new RangeError('a batch has no records');
    return records.map(({ key, value, headers = [], timestamp }) => ({
      key,
      value,
      headers,
      timestamp: Number(timestamp),
    }));
  } catch (error) {
    if (error instanceof InflatedTooLargeError) return recordsWithoutContent(batch);
    throw new BrokerError('CORRUPT_MESSAGE');
  }
}

/** Returns as many records as a batch has that only its readers need to understand. */
function recordsWithoutContent(batch: Buffer): readonly NewRecord[] {
  const record = { key: null, value: null, headers: [], timestamp: Number(batch.readBigInt64BE(maxTimestampAt)) };
  return Array.from({ length: batch.readInt32BE(countAt) }, () => record);
}
