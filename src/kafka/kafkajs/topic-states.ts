import { setImmediate } from 'node:timers/promises';
import { loadInternals } from './load.ts';
import type { Broker, Decoder } from './internals.ts';
import { beginFrame, endFrame, sendFrame, type FrameHeader } from './send-frame.ts';

/**
 * Metadata: the first version with topic ids (KIP-516, Kafka 2.8). It also has what the client may do with a topic (KIP-430).
 * kafkajs supports versions up to 6. Answers begin with the tagged fields of their header (KIP-482), of which there are none.
 */
const api = { apiKey: 3, apiVersion: 10, apiName: 'Metadata', connection: 0, throttleAt: 1 } as const;
const uuidBytes = 16;
const topicAuthorizationFailed = 29;
/** The bit of `Read` among the operations that the client may do. A broker without an authorizer sets all bits. */
const readBit = 0b1000;
/** The operations of a topic that the broker does not know. */
const noOperations = -(2 ** 31);

/** Also has what kafkajs takes of an answer. */
export type ClusterStates = Awaited<ReturnType<typeof decodeTopicStates>>;

/** Bytes of an answer that are decoded in one turn of the event loop: some milliseconds. */
const bytesPerTurn = 64 * 1024;

/** Asks one broker about these topics; about all topics if undefined. Returns undefined with brokers older than 2.8. */
export async function fetchTopicStates(
  broker: Broker,
  topics: readonly string[] | undefined,
): Promise<ClusterStates | undefined> {
  const answer = await askForTopics(broker, topics);
  return answer && decodeTopicStates(answer);
}

/** Resolves to an answer that `decodeTopicStates` decodes. Equal answers say the same. */
export async function askForTopics(broker: Broker, topics: readonly string[] | undefined): Promise<Buffer | undefined> {
  if ((broker.versions?.[api.apiKey]?.maxVersion ?? 0) < api.apiVersion) return undefined;
  return sendFrame(broker, { api, encode: (header) => encodeTopicsRequest(topics, header) });
}

/** A number of 32 bits has up to five bytes. */
const longestUVarInt = 5;

export function encodeTopicsRequest(topics: readonly string[] | undefined, header: FrameHeader): Buffer {
  const named = topics ?? [];
  const topicBytes = named.reduce((sum, topic) => sum + uuidBytes + longestUVarInt + Buffer.byteLength(topic) + 1, 0);
  const [frame, bodyAt] = beginFrame(api, header, topicBytes + 2 * longestUVarInt);
  // No tagged fields end the header, the topics and the body. No topic is named by its id.
  let at = frame.writeUInt8(0, bodyAt);
  at = writeUVarInt(frame, topics === undefined ? 0 : topics.length + 1, at);
  for (const topic of named) {
    frame.fill(0, at, at + uuidBytes);
    at = writeUVarInt(frame, Buffer.byteLength(topic) + 1, at + uuidBytes);
    at += frame.write(topic, at);
    at = frame.writeUInt8(0, at);
  }
  // Topics are not created, and the operations of the topics are wanted, those of the cluster not.
  for (const flag of [0, 0, 1, 0]) at = frame.writeUInt8(flag, at);
  return endFrame(frame, at);
}

function writeUVarInt(frame: Buffer, value: number, start: number): number {
  let [left, at] = [value, start];
  for (; left >= 0x80; left >>>= 7) at = frame.writeUInt8((left & 0x7f) | 0x80, at);
  return frame.writeUInt8(left, at);
}

export async function decodeTopicStates(answer: Buffer) {
  const { Decoder } = loadInternals();
  const decoder = new Decoder(answer);
  decoder.readTaggedFields();
  decoder.readInt32();
  const brokers = decoder.readUVarIntArray(decodeBroker) ?? [];
  const clusterId = decoder.readUVarIntString() ?? undefined;
  const controllerId = decoder.readInt32();
  const topics: ReturnType<typeof decodeTopic>[] = [];
  let turnEndsAt = bytesPerTurn;
  for (let left = decoder.readUVarInt(); left > 1; left -= 1) {
    topics.push(decodeTopic(decoder));
    if (decoder.offset < turnEndsAt) continue;
    await setImmediate();
    turnEndsAt = decoder.offset + bytesPerTurn;
  }
  return {
    brokers,
    controllerId,
    clusterId,
    ids: new Map(topics.flatMap(({ name, id, isKnown }) => (isKnown ? [[name, id]] : []))),
    denied: topics.filter(({ isDenied }) => isDenied).map(({ name }) => name),
    leaders: new Map(topics.flatMap(({ name, leaders, isKnown }) => (isKnown ? [[name, leaders]] : []))),
  };
}

function decodeBroker(decoder: Decoder) {
  const nodeId = decoder.readInt32();
  const host = decoder.readUVarIntString();
  const port = decoder.readInt32();
  const rack = decoder.readUVarIntString();
  decoder.readTaggedFields();
  return { nodeId, host, port, rack };
}

function decodeTopic(decoder: Decoder) {
  const errorCode = decoder.readInt16();
  const isKnown = errorCode === 0;
  const name = decoder.readUVarIntString() ?? '';
  const id = decoder.readBytes(uuidBytes).toString('hex');
  decoder.readBoolean();
  const leaders = new Map(decoder.readUVarIntArray(decodeLeader));
  const operations = decoder.readInt32();
  decoder.readTaggedFields();
  const isUnreadable = isKnown && operations !== noOperations && (operations & readBit) === 0;
  return { isKnown, name, id, leaders, isDenied: isUnreadable || errorCode === topicAuthorizationFailed };
}

function decodeLeader(decoder: Decoder): readonly [partition: number, leader: number] {
  decoder.readInt16();
  const partition = decoder.readInt32();
  const leader = decoder.readInt32();
  decoder.readInt32();
  for (let replicas = 0; replicas < 3; replicas += 1) decoder.readUVarIntArray((one) => one.readInt32());
  decoder.readTaggedFields();
  return [partition, leader];
}

/**
 * Asks for the brokers alone where kafkajs wants no topic. It takes that for all topics of the cluster: each new admin client
 * asks for them, to find the coordinator. With 100,000 partitions, that is a turn of the event loop of 0.3 to 0.5 s.
 */
export function askForWantedTopics(broker: Pick<Broker, 'metadata'>): void {
  const { metadata } = broker;
  Object.assign(broker, {
    async metadata(this: Broker, topics: string[] = []) {
      const states = topics.length === 0 ? await fetchTopicStates(this, []) : undefined;
      return states === undefined ? metadata.call(this, topics) : { ...states, topicMetadata: [] };
    },
  });
}
