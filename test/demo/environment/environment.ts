import type { Kafka } from 'kafkajs';
import type { Environment } from '../../../src/settings.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { json } from '../../support/builders.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { stepText } from '../../support/kafka/cluster/progress.ts';
import { produce } from '../../support/kafka/records.ts';
import { Program } from '../../support/processes/program.ts';
import { uniqueName } from '../../support/kafka/topics.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { print, step } from '../print.ts';
import { ServiceLog } from '../scenario/service-log.ts';
import { startEndpoints, type SubscriberEndpoint } from '../subscribers/endpoints.ts';
import { configurationOf, subscribers } from '../subscribers/subscribers.ts';
import { untilAborted } from '../interrupts.ts';
import { deleteTopicsAndGroups, startCluster } from './cluster.ts';
import { topicNames, type TopicNames } from '../../support/service/topic-names.ts';
import { serviceEnvironment, delays } from './service-environment.ts';
import { runCommand, startService, type ServiceProcess } from './service-process.ts';

/** Everything that runs before the first certificate is produced. */
export interface DemoEnvironment {
  readonly brokers: readonly string[];
  readonly kafka: Kafka;
  readonly names: TopicNames;
  /** The environment of the service, and of its commands. */
  readonly variables: Environment;
  readonly endpoints: readonly SubscriberEndpoint[];
  readonly service: ServiceProcess;
  readonly log: ServiceLog;
  /** The notices for the owners of webhooks that the example consumer has printed so far. */
  readonly notices: readonly string[];
}

interface EnvironmentOptions {
  readonly signal: AbortSignal;
  /** Stops everything in reverse order. */
  readonly stack: AsyncDisposableStack;
  /** Flags of the service's Node, such as `--watch`. */
  readonly nodeFlags: readonly string[];
  /** Settings that replace those of the demo. */
  readonly settings?: Environment;
  /** Called with each line of the service's output. */
  readonly onLine?: (line: string) => void;
}

/** Starts everything step by step. */
export async function startEnvironment(options: EnvironmentOptions): Promise<DemoEnvironment> {
  const { signal, stack, nodeFlags, settings = {}, onLine } = options;
  const { brokers } = stack.use(
    await step(
      'looking for Apache Kafka',
      () => startCluster((each) => print(`    ${stepText[each]}`), signal),
      (cluster) =>
        `${(cluster.lacks ?? []).length === 0 ? 'Apache Kafka' : 'the memory broker'} at ${cluster.brokers.join(', ')}`,
    ),
  );
  const kafka = quietClient(brokers);
  const names = topicNames(uniqueName('demo'), delays);
  // A cluster that the demo started is deleted as a whole.
  if ((process.env['KAFKA_BROKERS'] ?? '') !== '') stack.defer(() => deleteTopicsAndGroups(kafka, names));
  const authority = createAuthority('Demo authority');
  const endpoints = await step(
    'starting TLS endpoints',
    () => startEndpoints(subscribers, authority, stack),
    ({ length }) => `${length} TLS endpoints with certificates of a temporary authority`,
  );
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const own = serviceEnvironment({
    brokers,
    names,
    authorityFile: files.path('authority.pem'),
    ports: endpoints.map(({ endpoint }) => endpoint.port),
    httpPort: await findFreePorts(1),
  });
  const variables = { ...own, ...settings, KAFKA_BROKERS: brokers.join(',') };
  await step(
    'topics --create',
    () => runCommand(['topics', '--create'], variables, signal),
    () => `topics --create created the topics ${names.prefix}.*`,
  );
  await step(
    'writing webhook configurations',
    () => untilAborted(signal, writeConfigurations(kafka, names, endpoints)),
    () => `${endpoints.length} webhook configurations written`,
  );
  const log = new ServiceLog();
  const take = (line: string): void => {
    log.add(line);
    onLine?.(line);
  };
  const service = await step(
    'starting the service',
    () => startService({ environment: variables, nodeFlags, onLine: take, onErrorLine: onLine, signal }),
    ({ url }) => `the service is ready, see ${url}/metrics`,
  );
  stack.use(service);
  const notices = startExample(variables, files.path('history.db'), stack);
  return { brokers, kafka, names, variables, endpoints, service, log, notices };
}

/** Starts the example consumer of the results topic, which keeps its database at that path. Returns its output so far. */
function startExample(
  { KAFKA_BROKERS, KAFKA_GROUP_ID, RESULTS_TOPIC }: Environment,
  database: string,
  stack: AsyncDisposableStack,
): readonly string[] {
  const environment = { KAFKA_BROKERS, RESULTS_TOPIC, GROUP_ID: `${KAFKA_GROUP_ID}.notices`, DATABASE: database };
  const script = 'docs/examples/history.mjs';
  const example = new Program({ script, args: [], environment, isDetached: true });
  stack.defer(async () => void (await example.stop(3000)));
  return example.output;
}

async function writeConfigurations(
  kafka: Kafka,
  names: TopicNames,
  endpoints: readonly SubscriberEndpoint[],
): Promise<void> {
  const records = endpoints.map(({ subscriber, endpoint }) => ({
    key: subscriber.id,
    value: json(configurationOf(subscriber, endpoint.url('/certificates'))),
  }));
  await produce(kafka, names.configurations, records);
}
