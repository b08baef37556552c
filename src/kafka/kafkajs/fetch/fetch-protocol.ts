import type { AbortedTransaction, AskedPartition, Decoder, FetchRequest, PartitionData } from '../internals.ts';
import {
  beginFrame,
  endFrame,
  readOffset as offsetAt,
  writeInt64,
  writeText,
  type FrameHeader,
} from '../send-frame.ts';
import { readLong } from './record-batches.ts';

/** Fetch, https://kafka.apache.org/protocol.html#The_Messages_Fetch: the last version before compact encodings. */
export const fetchApi = { apiKey: 1, apiVersion: 11, apiName: 'Fetch', connection: 1, throttleAt: 0 } as const;

/** Bytes of a body without its partitions, and of a partition with its topic's header, without the topic's name. */
const bodyBytes = 35;
const partitionBytes = 34;
/** A replica, an epoch or an offset that the client does not know. */
const unknown = -1;
const readCommitted = 1;

/**
 * Encodes a request. Its partitions begin at this index, and the first ones follow the last. Brokers fill an answer in that
 * order, so each has to be the first at times (KIP-74).
 */
export function encodeFetch(request: FetchRequest, first: number, header: FrameHeader): Buffer {
  const { maxWaitTime, minBytes, maxBytes, partitions } = request;
  const names = partitions.reduce((bytes, { topic }) => bytes + topic.length, 0);
  const [frame, bodyAt] = beginFrame(fetchApi, header, bodyBytes + names + partitions.length * partitionBytes);
  let at = bodyAt;
  for (const field of [unknown, maxWaitTime, minBytes, maxBytes]) at = frame.writeInt32BE(field, at);
  at = frame.writeInt8(readCommitted, at);
  // No session, which has an id and an epoch.
  at = frame.writeInt32BE(unknown, frame.writeInt32BE(0, at));
  const topicsAt = at;
  at += 4;
  let [topics, countAt, count] = [0, 0, 0];
  let topic: string | undefined;
  for (let index = 0; index < partitions.length; index += 1) {
    const asked = partitions[(first + index) % partitions.length];
    if (asked === undefined) break;
    if (asked.topic !== topic) {
      ({ topic } = asked);
      topics += 1;
      count = 0;
      countAt = writeText(frame, topic, at);
      at = countAt + 4;
    }
    count += 1;
    frame.writeInt32BE(count, countAt);
    at = frame.writeInt32BE(unknown, frame.writeInt32BE(asked.partition, at));
    at = writeInt64(frame, unknown, writeInt64(frame, asked.fetchOffset, at));
    at = frame.writeInt32BE(asked.maxBytes, at);
  }
  frame.writeInt32BE(topics, topicsAt);
  // No topics are forgotten, and the client is in no rack.
  at = frame.writeInt16BE(0, frame.writeInt32BE(0, at));
  return endFrame(frame, at);
}

interface EncodedAnswer {
  /** The first error, of a partition or of the whole request. */
  readonly failure: { readonly topic: string; readonly partition: number; readonly errorCode: number } | undefined;
  readonly partitions: readonly PartitionData[];
}

/** Decodes an answer, except for its records. Leaves out partitions that were not asked for. */
export function decodeFetch(decoder: Decoder, { partitions: asked, includesEmpty }: FetchRequest): EncodedAnswer {
  // The throttle time.
  decoder.readInt32();
  const errorCode = decoder.readInt16();
  let failure: EncodedAnswer['failure'] = errorCode === 0 ? undefined : { topic: '', partition: unknown, errorCode };
  const partitions: PartitionData[] = [];
  let found = unknown;
  // The session's id.
  decoder.readInt32();
  for (let topics = decoder.readInt32(); topics > 0; topics -= 1) {
    const topic = decoder.readString();
    for (let left = decoder.readInt32(); left > 0; left -= 1) {
      const partition = decoder.readInt32();
      const code = decoder.readInt16();
      if (code !== 0) failure ??= { topic, partition, errorCode: code };
      found = indexAfter(found, asked, topic, partition);
      const data = readPartition(decoder, asked[found]);
      if (data !== undefined && (includesEmpty || data.bytes.length > 0 || data.preferredReadReplica >= 0))
        partitions.push(data);
    }
  }
  return { failure, partitions };
}

/** Finds a partition, at once where answers come in the order of the request. Returns -1 for one that was not asked for. */
function indexAfter(before: number, asked: readonly AskedPartition[], topic: string, partition: number): number {
  for (let step = 1; step <= asked.length; step += 1) {
    const index = (before + step) % asked.length;
    if (asked[index]?.partition === partition && asked[index].topic === topic) return index;
  }
  return -1;
}

function readPartition(decoder: Decoder, asked: AskedPartition | undefined): PartitionData | undefined {
  const highWatermark = readOffset(decoder);
  const lastStableOffset = readOffset(decoder);
  // The start of the log.
  readOffset(decoder);
  const abortedTransactions: AbortedTransaction[] = [];
  for (let left = decoder.readInt32(); left > 0; left -= 1)
    abortedTransactions.push({ producerId: readLong(decoder), firstOffset: readOffset(decoder) });
  const preferredReadReplica = decoder.readInt32();
  const size = decoder.readInt32();
  // An answer that is cut off within the records of a partition has none of them.
  const bytes = size > 0 && decoder.canReadBytes(size) ? decoder.readBytes(size) : none;
  if (asked === undefined) return undefined;
  const offsets = { highWatermark, lastStableOffset };
  return { asked, ...offsets, abortedTransactions, preferredReadReplica, bytes, messages: [], unreadable: undefined };
}

const none = Buffer.alloc(0);

function readOffset(decoder: Decoder): number {
  decoder.offset += 8;
  return offsetAt(decoder.buffer, decoder.offset - 8);
}
