import { hooksOf } from '../group-state.ts';
import type { ConsumerGroup } from '../internals.ts';

/**
 * Reports partitions whose next records can't be decoded, and drops their batches. kafkajs would count an empty batch as
 * read. `repairDecodeMessages` sets the mark that this looks for.
 */
export function reportUnreadable(consumerGroup: ConsumerGroup): void {
  const { fetch } = consumerGroup;
  consumerGroup.fetch = async function fetchReadable(this: ConsumerGroup, nodeId) {
    const batches = await fetch.call(this, nodeId);
    return batches.filter(({ topic, partition, fetchedOffset, rawMessages }) => {
      const error = unreadableOf(rawMessages);
      if (error === undefined) return true;
      hooksOf(this.cluster)?.unreadable?.({ topic, partition, offset: Number(fetchedOffset), error });
      return false;
    });
  };
}

/** The reason why records at the fetched position can't be decoded: they are damaged or too large for memory. */
export class UnreadableRecordsError extends Error {
  override readonly name = 'UnreadableRecordsError';

  constructor(cause: unknown) {
    super("the records there can't be decoded", { cause });
  }
}

const unreadable: unique symbol = Symbol('unreadable');

interface Marked {
  readonly [unreadable]?: UnreadableRecordsError;
}

/** Stores the reason on the list of records, which is all that a decoder can return. */
export function markUnreadable(records: readonly unknown[], cause: unknown): void {
  Object.assign(records, { [unreadable]: new UnreadableRecordsError(cause) } satisfies Marked);
}

export function unreadableOf(records: readonly unknown[] & Marked): UnreadableRecordsError | undefined {
  return records[unreadable];
}
