import { hooksOf } from '../hooks.ts';
import type { ConsumerGroup } from '../internals.ts';
import { unreadableOf } from './unreadable-mark.ts';

/** A partition whose next records can't be decoded is reported, and has no batch: an empty one would count as read. */
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
