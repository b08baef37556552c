import { type TopicPartition, partitionKey } from '../../client/consumer.ts';
import { hooksOf } from '../group-state.ts';
import type { OffsetManager } from '../internals.ts';

/** Thrown when the earliest offset of a partition is not available. kafkajs then fetches again and comes back here. */
class EarliestOffsetError extends Error {
  override readonly name = 'EarliestOffsetError';
}

/**
 * Reports an offset that is not in the log, and continues at the earliest record without a commit.
 *
 * kafkajs commits -2 to the broker, or -1, which skips every record. It does so even without autoCommit, and does not
 * report which offsets were skipped.
 * github.com/tulios/kafkajs/issues/1119
 */
export function reportOutOfRange(offsetManager: OffsetManager): void {
  offsetManager.setDefaultOffset = startAtEarliest;
}

async function startAtEarliest(this: OffsetManager, { topic, partition }: TopicPartition): Promise<void> {
  const from = Number(this.nextOffset(topic, partition).toString());
  const answer = await this.cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning: true }]);
  const earliest = answer[0]?.partitions[0]?.offset;
  const committed = this.committedOffsets()[topic];
  const resolved = this.resolvedOffsets[topic];
  if (earliest === undefined || committed === undefined || resolved === undefined) {
    throw new EarliestOffsetError(`no earliest offset of ${partitionKey(topic, partition)}`);
  }
  hooksOf(this.cluster)?.offsetReset({ topic, partition, from, to: Number(earliest) });
  committed[partition] = earliest;
  resolved[partition] = earliest;
}
