import { loadInternals } from './load.ts';
import type { Cluster, Decoder, Encoder } from './internals.ts';

/** Ids by topic. Topics that the broker does not know are missing. */
export type TopicIds = ReadonlyMap<string, string>;

const metadataKey = 3;
/** The first version with topic ids (KIP-516, Kafka 2.8). kafkajs supports versions up to 6. */
const metadataVersion = 10;
const uuidBytes = 16;
const noUuid = Buffer.alloc(uuidBytes);

/** Fetches topic ids, which differ between topics that had the same name. Undefined with brokers older than 2.8. */
export async function fetchTopicIds(cluster: Cluster, topics: readonly string[]): Promise<TopicIds | undefined> {
  const { Encoder, Decoder } = loadInternals();
  const broker = await cluster.findControllerBroker();
  if ((broker.versions?.[metadataKey]?.maxVersion ?? 0) < metadataVersion) return undefined;
  return broker.connectionPool.send({
    request: {
      apiKey: metadataKey,
      apiVersion: metadataVersion,
      apiName: 'Metadata',
      encode: () => Promise.resolve(encodeRequest(topics, () => new Encoder())),
    },
    response: {
      decode: (payload) => Promise.resolve({ topicIds: decodeResponse(new Decoder(payload)) }),
      parse: ({ topicIds }) => Promise.resolve(topicIds),
    },
  });
}

/** Encodes Metadata Request (Version: 10) after the tagged fields that end a flexible header (KIP-482). */
function encodeRequest(topics: readonly string[], encoder: () => Encoder): Encoder {
  const named = topics.map((topic) => encoder().writeBuffer(noUuid).writeUVarIntString(topic).writeUVarInt(0));
  return encoder()
    .writeUVarInt(0)
    .writeUVarIntArray(named)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeUVarInt(0);
}

/** Decodes Metadata Response (Version: 10), including the tagged fields that end its header. */
function decodeResponse(decoder: Decoder): TopicIds {
  decoder.readTaggedFields();
  decoder.readInt32();
  decoder.readUVarIntArray(skipBroker);
  decoder.readUVarIntString();
  decoder.readInt32();
  const topics = decoder.readUVarIntArray(decodeTopic) ?? [];
  return new Map(topics.flatMap(({ name, id, isKnown }) => (isKnown && name !== null ? [[name, id]] : [])));
}

function skipBroker(decoder: Decoder): void {
  decoder.readInt32();
  decoder.readUVarIntString();
  decoder.readInt32();
  decoder.readUVarIntString();
  decoder.readTaggedFields();
}

function decodeTopic(decoder: Decoder) {
  const isKnown = decoder.readInt16() === 0;
  const name = decoder.readUVarIntString();
  const id = decoder.readBytes(uuidBytes).toString('hex');
  decoder.readBoolean();
  decoder.readUVarIntArray(skipPartition);
  decoder.readInt32();
  decoder.readTaggedFields();
  return { isKnown, name, id };
}

function skipPartition(decoder: Decoder): void {
  decoder.readInt16();
  for (let field = 0; field < 3; field += 1) decoder.readInt32();
  for (let replicas = 0; replicas < 3; replicas += 1) decoder.readUVarIntArray((one) => one.readInt32());
  decoder.readTaggedFields();
}
