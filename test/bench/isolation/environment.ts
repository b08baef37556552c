import { devNull } from 'node:os';
import { join } from 'node:path';
import type { Kafka } from 'kafkajs';
import { aConfiguration, json } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { root } from '../../support/files/sources.ts';
import { startService } from '../service.ts';
import { createSurroundings, environmentOf, type Configuration } from '../service-topics.ts';
import { Load, ownerOf } from './load.ts';
import { partitions } from './partitions.ts';
import type { Receiver } from './receiver/receiver.ts';
import { endpointOf, type Trouble } from './fault.ts';

export interface StageParts {
  readonly kafka: Kafka;
  readonly brokers: readonly string[];
  readonly receiver: Receiver;
  readonly authorityFile: string;
  readonly endpoints: number;
  readonly trouble: Trouble;
}

/** Topics of its own, the endpoints in their trouble, and the service with its default settings. */
export interface Stage extends AsyncDisposable {
  readonly topic: string;
  readonly load: Load;
}

const program = join(root, 'src', 'main.ts');

export async function openStage(parts: StageParts): Promise<Stage> {
  const { kafka, brokers, receiver, authorityFile, endpoints, trouble } = parts;
  await using stack = new AsyncDisposableStack();
  const name = uniqueName('bench');
  const topic = `${name}.completed`;
  await createTopics(kafka, [{ topic, partitions }]);
  await createSurroundings(kafka, name, { partitions, configurations: configurationsOf(endpoints, receiver) });
  await receiver.behave(trouble);
  const environment = environmentOf({ name, certificates: topic, brokers, authorityFile });
  stack.use(await startService({ program, environment, logFile: devNull }));
  const producer = stack.use(await connectProducer(kafka));
  const load = new Load({
    producer,
    topic,
    endpointOf: (number) => endpointOf(number, endpoints, trouble),
  });
  const owned = stack.move();
  return { topic, load, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function configurationsOf(endpoints: number, receiver: Receiver): readonly Configuration[] {
  return Array.from({ length: endpoints }, (_, endpoint) => {
    const _id = `endpoint-${endpoint}`;
    return { key: _id, value: json(aConfiguration({ _id, _ownerId: ownerOf(endpoint), url: receiver.url(endpoint) })) };
  });
}
