import { partitionKey } from '../client/consumer.ts';
import type { Offsets } from '../client/topic-log.ts';
import type { Cluster } from './internals.ts';
import { loadInternals } from './load.ts';
import {
  beginFrame,
  connectedBroker,
  endFrame,
  readOffset,
  sendFrame,
  writeInt64,
  writeText,
  type FrameHeader,
} from './send-frame.ts';

/** ListOffsets, https://kafka.apache.org/protocol.html#The_Messages_ListOffsets: the last version that kafkajs knows. */
const api = { apiKey: 2, apiVersion: 3, apiName: 'ListOffsets', connection: 0, throttleAt: 0 } as const;

/** Stands for the first offset of a partition in place of a time, and for its end. */
export const earliest = -2;
export const latest = -1;

/** The leading broker of each partition. */
export type Leaders = ReadonlyMap<number, number>;

interface Asked {
  readonly topic: string;
  readonly leaders: Leaders;
  /** Epoch milliseconds, `earliest` or `latest`. */
  readonly time: number;
  /** True if a partition ends at its first open transaction. */
  readonly readsCommitted?: boolean;
}

/** kafkajs knows no broker of this name, and asks for the leaders again. */
const unknownLeader = -1;

class OffsetMissingError extends Error {
  override readonly name = 'OffsetMissingError';
}

/** Asks the leader of each partition. Of a time, an offset is -1 if no record has it or a later one. */
export async function listOffsets(cluster: Cluster, partitions: Iterable<number>, asked: Asked): Promise<Offsets> {
  const { topic, leaders } = asked;
  const byLeader = Map.groupBy(partitions, (partition) => leaders.get(partition) ?? unknownLeader);
  const offsets = new Map<number, number>();
  const answers = Array.from(byLeader, async ([leader, led]) => {
    const broker = await connectedBroker(cluster, leader);
    const answer = await sendFrame(broker, { api, encode: (header) => encodeListOffsets(led, asked, header) });
    await addOffsets(answer, asked, offsets);
  });
  await Promise.all(answers);
  const missing = [...byLeader.values()].flat().find((partition) => !offsets.has(partition));
  if (missing !== undefined) throw new OffsetMissingError(`no offset of ${partitionKey(topic, missing)}`);
  return offsets;
}

/** Returns the leader of each partition by what kafkajs knows. */
export function leadersOf(cluster: Cluster, topic: string): Leaders {
  return new Map(cluster.findTopicPartitionMetadata(topic).map(({ partitionId, leader }) => [partitionId, leader]));
}

/** Bytes of a partition in a request, and in an answer. */
const askedBytes = 12;
const answeredBytes = 22;

/** Adds the offsets of an answer about one topic. Rejects with the error of its first partition that has one. */
async function addOffsets(answer: Buffer, { topic, time }: Asked, offsets: Map<number, number>): Promise<void> {
  if (answer.readInt32BE(4) === 0) return;
  const countAt = 10 + answer.readInt16BE(8);
  const count = answer.readInt32BE(countAt);
  for (let index = 0; index < count; index += 1) {
    const at = countAt + 4 + index * answeredBytes;
    const [partition, errorCode] = [answer.readInt32BE(at), answer.readInt16BE(at + 4)];
    if (errorCode !== 0)
      await loadInternals().parseFetch({ responses: [{ topicName: topic, partitions: [{ partition, errorCode }] }] });
    const offset = readOffset(answer, at + 14);
    if (offset >= 0 || time >= 0) offsets.set(partition, offset);
  }
}

export function encodeListOffsets(
  partitions: readonly number[],
  { topic, time, readsCommitted = false }: Omit<Asked, 'leaders'>,
  header: FrameHeader,
): Buffer {
  const bodyBytes = 15 + Buffer.byteLength(topic) + partitions.length * askedBytes;
  const [frame, bodyAt] = beginFrame(api, header, bodyBytes);
  // No replica asks.
  let at = frame.writeInt8(readsCommitted ? 1 : 0, frame.writeInt32BE(-1, bodyAt));
  at = writeText(frame, topic, frame.writeInt32BE(1, at));
  at = frame.writeInt32BE(partitions.length, at);
  for (const partition of partitions) at = writeInt64(frame, time, frame.writeInt32BE(partition, at));
  return endFrame(frame, at);
}
