import { BrokerError } from '../../../simulation/broker/errors.ts';
import type { MemoryBroker } from '../../../simulation/broker/memory-broker.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import type { Field } from './fields.ts';
import type { StoredBatches } from './stored-batches.ts';
import type { TopicSettings } from './topic-settings.ts';

/** The address of the broker, which clients connect to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The memory broker, with what only its front on the network knows. */
export interface Served {
  readonly broker: MemoryBroker;
  readonly batches: StoredBatches;
  readonly settings: TopicSettings;
  readonly clusterId: string;
  /** Known once the front listens. */
  readonly address: () => Address;
}

/** The only broker of the cluster. */
export const nodeId = 1;

/** The client that has sent a request. */
export interface Client {
  readonly id: string;
  readonly host: string;
}

/** One request of Kafka's protocol, in one version. */
export interface Api {
  readonly key: number;
  readonly version: number;
  /** True for a version whose headers have tagged fields (KIP-482). */
  readonly isFlexible: boolean;
  /** Writes the answer. Resolves to false if the client expects none. */
  readonly serve: (reader: ByteReader, writer: ByteWriter, client: Client) => Promise<boolean>;
}

interface ApiOptions<Request, Answer> extends Pick<Api, 'key' | 'version'> {
  readonly isFlexible?: boolean;
  readonly request: Field<Request>;
  readonly answer: Field<Answer>;
  /** Returns undefined if the client expects no answer. */
  readonly serve: (request: Request, client: Client) => Answer | undefined | Promise<Answer | undefined>;
}

export function api<Request, Answer>(options: ApiOptions<Request, Answer>): Api {
  const { key, version, isFlexible = false, request, answer, serve } = options;
  return {
    key,
    version,
    isFlexible,
    async serve(reader, writer, client) {
      const served = await serve(request.read(reader), client);
      if (served !== undefined) answer.write(writer, served);
      return served !== undefined;
    },
  };
}

/** https://kafka.apache.org/protocol.html#protocol_error_codes, by the names of kafkajs. */
const errorCodes: Readonly<Record<string, number>> = {
  OFFSET_OUT_OF_RANGE: 1,
  CORRUPT_MESSAGE: 2,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  MESSAGE_TOO_LARGE: 10,
  OFFSET_METADATA_TOO_LARGE: 12,
  INVALID_TOPIC_EXCEPTION: 17,
  ILLEGAL_GENERATION: 22,
  INCONSISTENT_GROUP_PROTOCOL: 23,
  UNKNOWN_MEMBER_ID: 25,
  INVALID_SESSION_TIMEOUT: 26,
  REBALANCE_IN_PROGRESS: 27,
  INVALID_TIMESTAMP: 32,
  UNSUPPORTED_VERSION: 35,
  TOPIC_ALREADY_EXISTS: 36,
  INVALID_PARTITIONS: 37,
  INVALID_REPLICATION_FACTOR: 38,
  INVALID_CONFIG: 40,
  INVALID_REQUEST: 42,
  NON_EMPTY_GROUP: 68,
  GROUP_ID_NOT_FOUND: 69,
  INVALID_RECORD: 87,
};

/** Returns the code of a broker's error. Throws any other error, which is a defect. */
export function codeOf(error: unknown): number {
  const code = error instanceof BrokerError ? errorCodes[error.type] : undefined;
  if (code === undefined) throw error;
  return code;
}

/** A result, or the code of the error in its place. */
export type Attempt<Value> =
  { readonly errorCode: 0; readonly value: Value } | { readonly errorCode: number; readonly value: undefined };

export async function attempt<Value>(run: () => Value | Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { errorCode: 0, value: await run() };
  } catch (error) {
    return { errorCode: codeOf(error), value: undefined };
  }
}

/** Runs one after the other, so that records keep their order. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}
