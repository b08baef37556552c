import { encodeBatch } from '../../support/encode-batch.ts';
import { int16 } from '../../../support/kafka/raw-batch.ts';
import { encodeAnswer } from './answering-broker.ts';

/** A record as a producer writes it. Compaction later removes those that are not `kept`. */
export interface WrittenRecord {
  readonly key: Buffer | null;
  readonly kept: boolean;
}

interface Transaction {
  readonly producerId: number;
  readonly firstOffset: number;
  end?: { readonly offset: number; readonly committed: boolean };
}

interface LogBatch {
  readonly firstOffset: number;
  readonly records: readonly WrittenRecord[];
  readonly isControl: boolean;
  readonly transaction: Transaction | undefined;
  readonly producerId: number;
  readonly isCompressed: boolean;
}

/** The place and key of a record. */
export interface ReadRecord {
  readonly offset: number;
  readonly key: Buffer | null;
}

/** Positions in the header of a batch. */
const at = { firstOffset: 0, attributes: 21, lastOffsetDelta: 23, producerId: 43 };
const attributes = { gzip: 0x01, transactional: 0x10, control: 0x20 };
const markerType = { abort: 0, commit: 1 };

/** A partition with transactions, as a broker keeps it. It can be asked for its committed records, and for a fetch. */
export class TransactionLog {
  readonly #batches: LogBatch[] = [];
  readonly #open = new Map<number, Transaction>();
  readonly #ended: Required<Transaction>[] = [];
  #end = 0;

  /** Writes a batch within the producer's transaction. Begins one if none is open. */
  write(producerId: number, records: readonly WrittenRecord[], isCompressed = false): void {
    const transaction = this.#open.get(producerId) ?? { producerId, firstOffset: this.#end };
    this.#open.set(producerId, transaction);
    this.#append({ records, isCompressed, transaction, producerId });
  }

  /** Writes a batch outside of any transaction. The id is -1 for a producer without one. */
  writePlain(producerId: number, records: readonly WrittenRecord[], isCompressed = false): void {
    this.#append({ records, isCompressed, producerId });
  }

  /** Ends the producer's transaction with a marker, if one is open. */
  end(producerId: number, { committed }: { readonly committed: boolean }): void {
    const transaction = this.#open.get(producerId);
    if (transaction === undefined) return;
    this.#open.delete(producerId);
    this.#ended.push(Object.assign(transaction, { end: { offset: this.#end, committed } }));
    const key = controlKey(committed ? markerType.commit : markerType.abort);
    this.#append({ records: [{ key, kept: true }], isControl: true, transaction, producerId });
  }

  /** Writes a control record that ends no transaction. */
  writeControl(producerId: number, type: number): void {
    this.#append({ records: [{ key: controlKey(type), kept: true }], isControl: true, producerId });
  }

  /** The first offset of the oldest open transaction, or the end of the log. */
  get lastStableOffset(): number {
    return Math.min(this.#end, ...[...this.#open.values()].map(({ firstOffset }) => firstOffset));
  }

  /** Returns what a reader of committed records gets from this offset on. */
  committedFrom(from: number): readonly ReadRecord[] {
    return this.#batches
      .filter(({ isControl, transaction }) => !isControl && (transaction?.end?.committed ?? transaction === undefined))
      .flatMap(({ firstOffset, records }) =>
        records.flatMap(({ key, kept }, index) => (kept ? [{ offset: firstOffset + index, key }] : [])),
      )
      .filter(({ offset }) => offset >= from && offset < this.lastStableOffset);
  }

  /** Returns a Fetch response, version 11, with at most so many batches. */
  async fetch(from: number, maxBatches: number): Promise<Buffer> {
    const end = this.lastStableOffset;
    const readable = this.#batches.filter((batch) => lastOffsetOf(batch) >= from && batch.firstOffset < end);
    const batches = readable.slice(0, maxBatches);
    const last = batches.at(-1);
    const upperBound = last === undefined ? from : lastOffsetOf(last) + 1;
    // A broker finds the transactions in the order of their ends.
    const aborted = this.#ended.filter(
      ({ firstOffset, end: { offset, committed } }) => !committed && offset >= from && firstOffset < upperBound,
    );
    return encodeAnswer([{ end, aborted, records: Buffer.concat(await Promise.all(batches.map(encodeLogged))) }]);
  }

  #append({
    isCompressed = false,
    isControl = false,
    transaction,
    ...batch
  }: Pick<LogBatch, 'records' | 'producerId'> & Partial<LogBatch>): void {
    this.#batches.push({ ...batch, isCompressed, isControl, transaction, firstOffset: this.#end });
    this.#end += batch.records.length;
  }
}

function lastOffsetOf({ firstOffset, records }: LogBatch): number {
  return firstOffset + records.length - 1;
}

/** Encodes the key of a control record: the version of its format, and its type. */
function controlKey(type: number): Buffer {
  return Buffer.concat([int16(0), int16(type)]);
}

async function encodeLogged(batch: LogBatch): Promise<Buffer> {
  const records = batch.records.flatMap(({ key, kept }, offsetDelta) =>
    kept ? [{ offsetDelta, key, value: Buffer.from('value') }] : [],
  );
  const isCompressed = batch.isCompressed && records.length > 0;
  const buffer = await encodeBatch(records, { compression: isCompressed ? attributes.gzip : 0 });
  const flags =
    (isCompressed ? attributes.gzip : 0) +
    (batch.transaction === undefined ? 0 : attributes.transactional) +
    (batch.isControl ? attributes.control : 0);
  buffer.writeBigInt64BE(BigInt(batch.firstOffset), at.firstOffset);
  buffer.writeInt16BE(flags, at.attributes);
  buffer.writeInt32BE(batch.records.length - 1, at.lastOffsetDelta);
  buffer.writeBigInt64BE(BigInt(batch.producerId), at.producerId);
  return buffer;
}
