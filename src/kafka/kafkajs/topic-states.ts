import { setImmediate } from 'node:timers/promises';
import { loadInternals } from './load.ts';
import type { Broker, Decoder, Encoder } from './internals.ts';

const metadataKey = 3;
/**
 * The first version with topic ids (KIP-516, Kafka 2.8). It also has what the client may do with a topic (KIP-430).
 * kafkajs supports versions up to 6.
 */
const metadataVersion = 10;
const uuidBytes = 16;
const noUuid = Buffer.alloc(uuidBytes);
const topicAuthorizationFailed = 29;
/** The bit of `Read` among the operations that the client may do. A broker without an authorizer sets all bits. */
const readBit = 0b1000;
/** The operations of a topic that the broker does not know. */
const noOperations = -(2 ** 31);

/** Also has what kafkajs takes of an answer. */
export type ClusterStates = Awaited<ReturnType<typeof decodeResponse>>;

/** Bytes of an answer that are decoded in one turn of the event loop: some milliseconds. */
const bytesPerTurn = 64 * 1024;

/** Asks one broker about these topics; about all topics if undefined. Returns undefined with brokers older than 2.8. */
export async function fetchTopicStates(
  broker: Broker,
  topics: readonly string[] | undefined,
): Promise<ClusterStates | undefined> {
  const { Encoder, Decoder } = loadInternals();
  if ((broker.versions?.[metadataKey]?.maxVersion ?? 0) < metadataVersion) return undefined;
  return broker.connectionPool.send({
    request: {
      apiKey: metadataKey,
      apiVersion: metadataVersion,
      apiName: 'Metadata',
      encode: () => Promise.resolve(encodeRequest(topics, () => new Encoder())),
    },
    response: {
      decode: (payload) => decodeResponse(new Decoder(payload)),
      parse: (states) => Promise.resolve(states),
    },
  });
}

/** Encodes Metadata Request (Version: 10) after the tagged fields that end a flexible header (KIP-482). */
function encodeRequest(topics: readonly string[] | undefined, encoder: () => Encoder): Encoder {
  const named = topics?.map((topic) => encoder().writeBuffer(noUuid).writeUVarIntString(topic).writeUVarInt(0));
  return encoder()
    .writeUVarInt(0)
    .writeUVarIntArray(named ?? null)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeBoolean(true)
    .writeUVarInt(0);
}

/** Decodes Metadata Response (Version: 10), including the tagged fields that end its header. */
async function decodeResponse(decoder: Decoder) {
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
