import { devNull } from 'node:os';
import { join } from 'node:path';
import type { Kafka } from 'kafkajs';
import { aConfiguration, json } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { root } from '../../support/files/sources.ts';
import { createServiceTopics, serviceVariables, type ConfigurationRecord } from '../service-topics.ts';
import { startService } from '../service.ts';
import { endpointOf, type Fault } from './fault.ts';
import { Load, ownerOf } from './load.ts';
import { partitions } from './partitions.ts';
import type { Receiver } from './receiver/receiver.ts';

export interface EnvironmentOptions {
  readonly kafka: Kafka;
  readonly brokers: readonly string[];
  readonly receiver: Receiver;
  readonly authorityFile: string;
  readonly endpoints: number;
  readonly fault: Fault;
}

/** A fresh service with topics of its own, and the load that it gets. */
interface IsolationEnvironment extends AsyncDisposable {
  readonly topic: string;
  readonly load: Load;
}

const program = join(root, 'src', 'main.ts');

/** Starts the service with its default settings, while the endpoints already have their fault. */
export async function startEnvironment(options: EnvironmentOptions): Promise<IsolationEnvironment> {
  const { kafka, brokers, receiver, authorityFile, endpoints, fault } = options;
  await using stack = new AsyncDisposableStack();
  const name = uniqueName('bench');
  const topic = `${name}.completed`;
  await createTopics(kafka, [{ topic, partitions }]);
  await createServiceTopics(kafka, name, { partitions, configurations: configurationsOf(endpoints, receiver) });
  await receiver.setFault(fault);
  const variables = serviceVariables({ name, certificates: topic, brokers, authorityFile });
  stack.use(await startService({ program, variables, logFile: devNull }));
  const producer = stack.use(await connectProducer(kafka));
  const load = new Load({ producer, topic, endpointOf: (number) => endpointOf(number, endpoints, fault) });
  const owned = stack.move();
  return { topic, load, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function configurationsOf(endpoints: number, receiver: Receiver): readonly ConfigurationRecord[] {
  return Array.from({ length: endpoints }, (_, endpoint) => {
    const _id = `endpoint-${endpoint}`;
    return { key: _id, value: json(aConfiguration({ _id, _ownerId: ownerOf(endpoint), url: receiver.url(endpoint) })) };
  });
}
