import { hooksOf } from '../hooks.ts';
import type { ConsumerGroup } from '../internals.ts';
import { unreadableOf } from './unreadable-mark.ts';

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
