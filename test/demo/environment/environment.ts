import type { Kafka } from 'kafkajs';
import { createAuthority } from '../../support/tls/authority.ts';
import { json } from '../../support/builders.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { stepText } from '../../support/kafka/cluster/progress.ts';
import { produce } from '../../support/kafka/records.ts';
import type { RunningKafka } from '../../support/kafka/cluster/start-kafka.ts';
import { uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startEndpoints, type SubscriberEndpoint } from '../subscribers/endpoints.ts';
import { configurationOf, subscribers } from '../subscribers/subscribers.ts';
import type { Journal } from '../scenario/service-log.ts';
import { untilAborted } from '../until-aborted.ts';
import type { Presenter } from '../view/presenter.ts';
import { deleteTraces, startCluster } from './cluster.ts';
import { namesFor, serviceEnvironment, type Names } from './service-environment.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { createTopics } from './topics-command.ts';

export interface StageOptions {
  readonly presenter: Presenter;
  /** Takes the log of the service. */
  readonly journal: Journal;
  /** The cluster is somebody else's. */
  readonly isExternal: boolean;
  readonly signal: AbortSignal;
}

/** Everything that is up before the first certificate. */
export interface Stage {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  readonly names: Names;
  readonly endpoints: readonly SubscriberEndpoint[];
  readonly service: ServiceProcess;
}

/** Builds it step by step on the stack, which takes it down in reverse. */
export async function setStage(options: StageOptions, stack: AsyncDisposableStack): Promise<Stage> {
  const { presenter, journal, signal } = options;
  const { brokers, kafka, names } = await openCluster(options, stack);
  const authority = createAuthority('Demo authority');
  const endpoints = await presenter.step(
    {
      doing: 'starting TLS endpoints',
      done: ({ length }) => `${length} TLS endpoints, vouched for by a throw-away authority`,
    },
    () => startEndpoints(subscribers, authority, stack),
  );
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const environment = serviceEnvironment({
    brokers,
    names,
    authorityFile: files.path('authority.pem'),
    ports: endpoints.map(({ endpoint }) => endpoint.port),
    httpPort: await findFreePorts(1),
  });
  await presenter.step(
    { doing: 'topics --create', done: ({ length }) => `topics --create made ${length} topics, ${names.prefix}.*` },
    () => createTopics(environment, signal),
  );
  await presenter.step(
    { doing: 'writing webhook configurations', done: () => `${endpoints.length} webhook configurations written` },
    () => untilAborted(signal, configure(kafka, names, endpoints)),
  );
  const service = await presenter.step(
    { doing: 'starting the service', done: ({ url }) => `the service is ready, see ${url}/metrics` },
    () => startService({ environment, onLine: (line) => journal.take(line), signal }),
  );
  return { brokers, kafka, names, endpoints, service: stack.use(service) };
}

async function openCluster(
  { presenter, isExternal, signal }: StageOptions,
  stack: AsyncDisposableStack,
): Promise<Pick<Stage, 'brokers' | 'kafka' | 'names'>> {
  const cluster = await presenter.step(
    {
      doing: 'looking for Apache Kafka',
      done: (started: RunningKafka) => `Apache Kafka at ${started.brokers.join(', ')}`,
    },
    (say) => startCluster((step) => say(stepText[step]), signal),
  );
  const { brokers } = stack.use(cluster);
  const kafka = quietClient(brokers);
  const names = namesFor(uniqueName('demo'));
  // A cluster of our own vanishes as a whole.
  if (isExternal) stack.defer(() => deleteTraces(kafka, names));
  return { brokers, kafka, names };
}

async function configure(kafka: Kafka, names: Names, endpoints: readonly SubscriberEndpoint[]): Promise<void> {
  const records = endpoints.map(({ subscriber, endpoint }) => ({
    key: subscriber.id,
    value: json(configurationOf(subscriber, endpoint.url('/certificates'))),
  }));
  await produce(kafka, names.configurations, records);
}
