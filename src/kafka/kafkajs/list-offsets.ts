import type { Offsets } from '../client/topic-log.ts';
import { partitionKey } from '../partition-key.ts';
import type { Cluster } from './internals.ts';

/** A broker's answer lacks an offset that was asked for. */
class OffsetMissingError extends Error {
  override readonly name = 'OffsetMissingError';
}

export async function listOffsets(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
  wanted: { readonly fromBeginning: boolean } | { readonly fromTimestamp: number },
): Promise<Offsets> {
  const requested = partitions.map((partition) => ({ partition }));
  const answer = await cluster.fetchTopicsOffset([{ topic, partitions: requested, ...wanted }]);
  const offsets = new Map(answer[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  const missing = partitions.find((partition) => !offsets.has(partition));
  if (missing !== undefined) throw new OffsetMissingError(`no offset of ${partitionKey(topic, missing)}`);
  return offsets;
}
