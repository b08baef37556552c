import type { Kafka } from 'kafkajs';
import type { Environment } from '../../../src/settings.ts';
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
import type { ServiceLog } from '../scenario/service-log.ts';
import { untilAborted } from '../until-aborted.ts';
import type { Presenter } from '../view/presenter.ts';
import { deleteTopicsAndGroups, startCluster } from './cluster.ts';
import { namesFor, serviceEnvironment, type Names } from './service-environment.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { startHistory, type History } from './history.ts';
import { createTopics } from './commands.ts';

interface EnvironmentOptions {
  readonly presenter: Presenter;
  /** Collects the log of the service. */
  readonly log: ServiceLog;
  /** True for a cluster that the demo did not start. */
  readonly isExternal: boolean;
  readonly signal: AbortSignal;
}

/** Everything that runs before the first certificate is produced. */
export interface DemoEnvironment {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  readonly names: Names;
  /** The environment of the service, and of its commands. */
  readonly variables: Environment;
  readonly endpoints: readonly SubscriberEndpoint[];
  readonly service: ServiceProcess;
  readonly history: History;
}

/** Starts everything step by step. The stack stops it in reverse order. */
export async function startEnvironment(
  options: EnvironmentOptions,
  stack: AsyncDisposableStack,
): Promise<DemoEnvironment> {
  const { presenter, log, signal } = options;
  const { brokers, kafka, names } = await openCluster(options, stack);
  const authority = createAuthority('Demo authority');
  const endpoints = await presenter.step(
    {
      doing: 'starting TLS endpoints',
      done: ({ length }) => `${length} TLS endpoints with certificates of a temporary authority`,
    },
    () => startEndpoints(subscribers, authority, stack),
  );
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const variables = serviceEnvironment({
    brokers,
    names,
    authorityFile: files.path('authority.pem'),
    ports: endpoints.map(({ endpoint }) => endpoint.port),
    httpPort: await findFreePorts(1),
  });
  await presenter.step(
    { doing: 'topics --create', done: ({ length }) => `topics --create created ${length} topics, ${names.prefix}.*` },
    () => createTopics(variables, signal),
  );
  await presenter.step(
    { doing: 'writing webhook configurations', done: () => `${endpoints.length} webhook configurations written` },
    () => untilAborted(signal, writeConfigurations(kafka, names, endpoints)),
  );
  const service = await presenter.step(
    { doing: 'starting the service', done: ({ url }) => `the service is ready, see ${url}/metrics` },
    () => startService({ environment: variables, onLine: (line) => log.add(line), signal }),
  );
  stack.use(service);
  const history = stack.use(startHistory(variables, files.path('history.db')));
  return { brokers, kafka, names, variables, endpoints, service, history };
}

async function openCluster(
  { presenter, isExternal, signal }: EnvironmentOptions,
  stack: AsyncDisposableStack,
): Promise<Pick<DemoEnvironment, 'brokers' | 'kafka' | 'names'>> {
  const cluster = await presenter.step(
    {
      doing: 'looking for Apache Kafka',
      done: ({ brokers, lacks = [] }: RunningKafka) =>
        `${lacks.length === 0 ? 'Apache Kafka' : 'the memory broker'} at ${brokers.join(', ')}`,
    },
    (update) => startCluster((step) => update(stepText[step]), signal),
  );
  const { brokers } = stack.use(cluster);
  const kafka = quietClient(brokers);
  const names = namesFor(uniqueName('demo'));
  // A cluster that the demo started is deleted as a whole.
  if (isExternal) stack.defer(() => deleteTopicsAndGroups(kafka, names));
  return { brokers, kafka, names };
}

async function writeConfigurations(
  kafka: Kafka,
  names: Names,
  endpoints: readonly SubscriberEndpoint[],
): Promise<void> {
  const records = endpoints.map(({ subscriber, endpoint }) => ({
    key: subscriber.id,
    value: json(configurationOf(subscriber, endpoint.url('/certificates'))),
  }));
  await produce(kafka, names.configurations, records);
}
