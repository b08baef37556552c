import type { Kafka } from 'kafkajs';
import { connectProducer, quietClient } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles, type TemporaryFiles } from '../../support/files/temporary-files.ts';
import { startBroker } from '../broker.ts';
import { certificateOf, nameOf, ownersOf, type Crowd } from './certificates.ts';
import type { CpuProfile } from './profile/parts.ts';
import { startReceiver, type Receiver } from './receiver/receiver.ts';

/** What all runs of a scenario have in common: a broker of its own, the receiver, and topics full of certificates. */
export interface Stage extends AsyncDisposable {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  readonly receiver: Receiver;
  readonly authorityFile: string;
  /** A file that a service may log to. */
  readonly logFile: string;
  /** Takes the profile of a service that was measured; undefined where none is wanted. */
  readonly profiled: ((profile: CpuProfile) => void) | undefined;
  /** The name of a topic with these certificates; written when it is first asked for. */
  topicOf(crowd: Crowd, partitions: number): Promise<string>;
}

export async function openStage(say: (line: string) => void, profiled?: Stage['profiled']): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const { brokers } = stack.use(await startBroker(say, { data: 'many' }));
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
    profiled,
    topicOf: (crowd, partitions) => {
      const key = JSON.stringify({ crowd, partitions });
      const topic = topics.get(key) ?? createFull(kafka, crowd, partitions);
      topics.set(key, topic);
      return topic;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const recordsAtOnce = 1000;

async function createFull(kafka: Kafka, crowd: Crowd, partitions: number): Promise<string> {
  const topic = uniqueName('certificates');
  await createTopics(kafka, [{ topic, partitions }]);
  await writeCertificates(kafka, topic, crowd);
  return topic;
}

export async function writeCertificates(kafka: Kafka, topic: string, crowd: Crowd): Promise<void> {
  await using producer = await connectProducer(kafka);
  const owners = [...ownersOf(crowd)];
  for (let from = 0; from < owners.length; from += recordsAtOnce) {
    const messages = owners
      .slice(from, from + recordsAtOnce)
      .map((owner, index) => ({ key: nameOf(owner), value: certificateOf(from + index, owner) }));
    await producer.send({ topic, messages });
  }
}
