import type { AbortedTransaction, PartitionData, RawRecord } from '../internals.ts';

/** Types of control records that end a transaction. Other types, such as a change of the leader, belong to none. */
const endTypes: ReadonlySet<number> = new Set([0, 1]);
/** The key of a control record has two numbers of 16 bits: the version of its format, and its type. */
const typeAt = 2;
const keyBytes = 4;

/**
 * Drops the records of aborted transactions from a partition of an answer to a Fetch request.
 *
 * A broker sends all records up to the last stable offset, with a list of the aborted transactions among them. It sorts the
 * list by the transactions' ends. The reader of committed records drops theirs. kafkajs does so wrongly in three ways:
 *
 * - It takes the list as sorted by first offset. Of two transactions that overlap, the records of the one that begins first
 *   and ends last came through.
 * - It enters at most one transaction of the list for each record.
 * - It takes a record as the end of its transaction if its key has four zero bytes. That record and the later ones of the
 *   transaction came through.
 *
 * Here each dropped record is replaced by a placeholder, so that reading moves past it. The rules are those of the Java client:
 * org.apache.kafka.clients.consumer.internals.CompletedFetch.
 */
export function dropAborted(partition: PartitionData): void {
  const { messages, abortedTransactions } = partition;
  if (abortedTransactions.length === 0) return;
  const open = new OpenTransactions(abortedTransactions);
  for (const [index, record] of messages.entries())
    if (open.isAborted(record)) messages[index] = placeholder(record.offset);
}

/** The aborted transactions that have begun and not ended. Asked once for each record, in the order of offsets. */
class OpenTransactions {
  readonly #pending: readonly AbortedTransaction[];
  #begun = 0;
  /** A producer has at most one transaction at a time. */
  readonly #producerIds = new Set<string>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#pending = aborted.toSorted((one, other) => one.firstOffset - other.firstOffset);
  }

  isAborted({ offset, key, batchContext }: RawRecord): boolean {
    // Message formats before transactions have no batches.
    if (batchContext === undefined) return false;
    this.#beginUpTo(Number(offset));
    const { producerId, inTransaction, isControlBatch } = batchContext;
    if (isControlBatch) {
      if (endsTransaction(key)) this.#producerIds.delete(producerId);
      return false;
    }
    return inTransaction && this.#producerIds.has(producerId);
  }

  #beginUpTo(offset: number): void {
    for (let next = this.#pending[this.#begun]; next !== undefined; next = this.#pending[this.#begun]) {
      if (next.firstOffset > offset) return;
      this.#producerIds.add(next.producerId);
      this.#begun += 1;
    }
  }
}

function endsTransaction(key: Buffer | null): boolean {
  return key !== null && key.length >= keyBytes && endTypes.has(key.readInt16BE(typeAt));
}

/** Returns a fake control record for an offset without a readable record. kafkajs moves past it but does not pass it on. */
export function placeholder(offset: string): RawRecord {
  const batchContext = { producerId: '-1', inTransaction: false, isControlBatch: false };
  return { offset, key: null, value: null, headers: [], timestamp: '-1', isControlRecord: true, batchContext };
}

/** Returns the records from the offset that was asked for on, without control records. */
export function readableRecords({ messages, asked }: PartitionData): readonly RawRecord[] {
  const isReadable = ({ offset, isControlRecord }: RawRecord): boolean =>
    !isControlRecord && Number(offset) >= asked.fetchOffset;
  return messages.every(isReadable) ? messages : messages.filter(isReadable);
}
