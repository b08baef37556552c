import { Kafka, logLevel, Partitioners, type Admin, type KafkaConfig, type Producer } from 'kafkajs';
import { encodeRecordsInOneBuffer } from '../../../src/kafka/kafkajs/repairs/encode-record.ts';
import { loadInternals, loadKafka } from '../../../src/kafka/kafkajs/load.ts';
import { repairRequestQueueTimer } from '../../../src/kafka/kafkajs/repairs/request-queue-timer.ts';
import { registerCodecs } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { repairKafkajs } from '../../../src/kafka/kafkajs/repair.ts';

// One repair of kafkajs avoids a warning of Node. This copy of kafkajs is not the one that the service loads for itself.
repairRequestQueueTimer(loadInternals().requestQueue, Date.now);
// The service writes some records compressed, and headers in their order.
registerCodecs();
encodeRecordsInOneBuffer();

/** Creates a client that logs nothing and retries quickly. */
export function quietClient(brokers: readonly string[], { sasl, ...overrides }: Partial<KafkaConfig> = {}): Kafka {
  return new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    // A frozen broker accepts requests but does not answer.
    requestTimeout: 5000,
    retry: { retries: 20, initialRetryTime: 50, maxRetryTime: 500 },
    ...overrides,
    // kafkajs modifies this object, so each client needs its own copy.
    ...(sasl === undefined ? {} : { sasl: { ...sasl } }),
  });
}

/** Creates a client of the library as the service repairs it. */
export function repairedClient(brokers: readonly string[]): Kafka {
  repairKafkajs();
  const RepairedKafka = loadKafka();
  return new RepairedKafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
}

export async function connectAdmin(kafka: Kafka): Promise<Admin & AsyncDisposable> {
  const admin = kafka.admin();
  await connect(admin);
  return Object.assign(admin, { [Symbol.asyncDispose]: () => admin.disconnect() });
}

export async function connectProducer(kafka: Kafka): Promise<Producer & AsyncDisposable> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await connect(producer);
  return Object.assign(producer, { [Symbol.asyncDispose]: () => producer.disconnect() });
}

/** Connects the client. A client that failed to connect must still be disconnected, because it holds sockets. */
async function connect(client: { connect(): Promise<void>; disconnect(): Promise<void> }): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    await client.disconnect();
    throw error;
  }
}
