import { Kafka, logLevel, Partitioners, type Admin, type KafkaConfig, type Producer } from 'kafkajs';
import { loadInternals } from '../../../src/kafka/kafkajs/load.ts';
import { repairRequestQueueTimer } from '../../../src/kafka/kafkajs/request-queue-timer.ts';

/** A client that logs nothing, and is quick to try again. Stock kafkajs, but for a warning that Node would print. */
export function quietClient(brokers: readonly string[], { sasl, ...overrides }: Partial<KafkaConfig> = {}): Kafka {
  repairRequestQueueTimer(loadInternals().requestQueue);
  return new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    // A frozen broker takes every request and answers none.
    requestTimeout: 5000,
    retry: { retries: 20, initialRetryTime: 50, maxRetryTime: 500 },
    ...overrides,
    // The client writes the password it got first into the object, where a copy with another password keeps it.
    ...(sasl === undefined ? {} : { sasl: { ...sasl } }),
  });
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

/** A client that did not get through still holds sockets. */
async function connect(client: { connect(): Promise<void>; disconnect(): Promise<void> }): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    await client.disconnect();
    throw error;
  }
}
