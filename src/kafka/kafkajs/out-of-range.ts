import { hooksOf } from './hooks.ts';
import type { OffsetManager, TopicPartition } from './internals.ts';

/** The earliest offset of a partition could not be had. kafkajs fetches again, and meets the same question. */
class EarliestOffsetError extends Error {
  override readonly name = 'EarliestOffsetError';
}

/**
 * An offset that is not in the log is reported, and reading goes on at the earliest record. kafkajs committed -2 (or
 * -1, skipping every record) to the broker, also without autoCommit, and told nobody what was skipped.
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
    throw new EarliestOffsetError(`no earliest offset of ${topic}/${String(partition)}`);
  }
  hooksOf(this.cluster)?.offsetReset({ topic, partition, from, to: Number(earliest) });
  committed[partition] = earliest;
  resolved[partition] = earliest;
}
