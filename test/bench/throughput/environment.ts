import type { Kafka } from 'kafkajs';
import { connectProducer, quietClient } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../../support/files/temporary-files.ts';
import { startBroker } from '../broker.ts';
import { inspectPinned } from '../pinned-process.ts';
import { certificateOf, nameOf, ownersOf, type CertificateSet } from './certificates.ts';
import type { Observer } from './observer.ts';
import { startReceiver, type Receiver } from './receiver/receiver.ts';

/** Everything that the runs of one scenario share: a broker, the receiver, and topics full of certificates. */
export interface BenchEnvironment extends AsyncDisposable {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  readonly receiver: Receiver;
  readonly authorityFile: string;
  /** The file that services write their logs to. */
  readonly logFile: string;
  readonly observer: Observer | undefined;
  /** Returns the name of a topic with these certificates, which the first call writes. */
  topicOf(certificates: CertificateSet, partitions: number): Promise<string>;
}

/** Starts a broker and a receiver. With an observer, the measured processes have an open inspector. */
export async function startEnvironment(print: (line: string) => void, observer?: Observer): Promise<BenchEnvironment> {
  if (observer !== undefined) await inspectPinned();
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
    observer,
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
  await writeCertificates(kafka, topic, certificates);
  return topic;
}

export async function writeCertificates(kafka: Kafka, topic: string, certificates: CertificateSet): Promise<void> {
  await using producer = await connectProducer(kafka);
  const owners = [...ownersOf(certificates)];
  for (let from = 0; from < owners.length; from += recordsPerRequest) {
    const messages = owners
      .slice(from, from + recordsPerRequest)
      .map((owner, index) => ({ key: nameOf(owner), value: certificateOf(from + index, owner) }));
    await producer.send({ topic, messages });
  }
}
