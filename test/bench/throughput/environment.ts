import type { Kafka } from 'kafkajs';
import { connectProducer, quietClient } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../../support/files/temporary-files.ts';
import { inspectPinned, type RunningSystem } from '../pinned-process.ts';
import { certificateOf, nameOf, ownersOf, type CertificateSet } from './certificates.ts';
import { startReceiver, type Receiver } from './receiver/receiver.ts';
import { stepText } from '../../support/kafka/cluster/progress.ts';
import { startKafka, type RunningKafka } from '../../support/kafka/cluster/start-kafka.ts';

/**
 * Begins to observe a measured process, and returns a function that ends it. Units are the deliveries of the measured part, its
 * records if nothing is delivered, or its seconds if nothing happens.
 */
export type Observe = (process: {
  readonly pid: number;
  readonly inspectorPort: number;
  readonly brokers: readonly string[];
  readonly units: number;
}) => Promise<() => Promise<void>>;

/** Everything that the runs of one scenario share: a broker, the receiver, and topics full of certificates. */
export interface BenchEnvironment extends AsyncDisposable {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  readonly receiver: Receiver;
  readonly authorityFile: string;
  /** The file that services write their logs to. */
  readonly logFile: string;
  /** Observes a system until disposal, if this run observes any. */
  observing(system: RunningSystem, units: number): Promise<AsyncDisposable>;
  /** Returns the name of a topic with these certificates, which the first call writes. */
  topicOf(certificates: CertificateSet, partitions: number): Promise<string>;
}

/** Starts a broker and a receiver. If something observes the measured processes, these have an open inspector. */
export async function startEnvironment(print: (line: string) => void, observe?: Observe): Promise<BenchEnvironment> {
  await inspectPinned(observe !== undefined);
  await using stack = new AsyncDisposableStack();
  const { brokers } = stack.use(await startBroker(print));
  const kafka = quietClient(brokers);
  const receiver = stack.use(await startReceiver());
  const files: TemporaryFiles = stack.use(await writeTemporaryFiles({ 'authority.pem': receiver.authority }));
  const topics = new Map<string, Promise<string>>();
  const owned = stack.move();
  return {
    brokers,
    kafka,
    receiver,
    authorityFile: files.path('authority.pem'),
    logFile: files.path('service.log'),
    observing: async ({ pid, inspectorPort }, units) => {
      const observed = inspectorPort === undefined ? undefined : { pid, inspectorPort, brokers, units };
      const end = observed === undefined ? undefined : await observe?.(observed);
      return { [Symbol.asyncDispose]: async () => end?.() };
    },
    topicOf: (certificates, partitions) => {
      const key = JSON.stringify({ certificates, partitions });
      const topic = topics.get(key) ?? createFullTopic(kafka, certificates, partitions);
      topics.set(key, topic);
      return topic;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const recordsPerRequest = 1000;

async function createFullTopic(kafka: Kafka, certificates: CertificateSet, partitions: number): Promise<string> {
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions }]);
  await using producer = await connectProducer(kafka);
  const owners = [...ownersOf(certificates)];
  for (let from = 0; from < owners.length; from += recordsPerRequest) {
    const messages = owners
      .slice(from, from + recordsPerRequest)
      .map((owner, index) => ({ key: nameOf(owner), value: certificateOf(from + index, owner) }));
    await producer.send({ topic, messages });
  }
  return topic;
}

/**
 * Flags of the broker's JVM. The small heap of the tests pauses a broker for 20 to 60 ms every ten seconds. Such a pause
 * delays every record in flight, so the benchmarks use ZGC. All compilers are on, as in a broker in production. The tests
 * leave the optimizing compiler out, because it needs more time than a test.
 */
const flags = ['-Xmx1g', '-XX:-UseSerialGC', '-XX:+UseZGC', '-XX:TieredStopAtLevel=4'];

/** Starts a broker beside the measured system. */
async function startBroker(print: (line: string) => void): Promise<RunningKafka> {
  return startKafka({ flags, progress: (step) => print(stepText[step]) });
}
