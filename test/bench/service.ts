import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../src/settings.ts';
import { root } from '../support/files/sources.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { produce } from '../support/kafka/records.ts';
import { createTopics, uniqueName } from '../support/kafka/topics.ts';
import { answersOk } from '../support/processes/answers-ok.ts';
import { environmentOf, topicNames, type TopicNames } from '../support/service/topic-names.ts';
import { eventually } from '../support/time/eventually.ts';
import { startPinned, type RunningSystem } from './pinned-process.ts';
import type { BenchEnvironment } from './throughput/environment.ts';
import { configurationsOf, type Subscribers } from './throughput/subscribers.ts';

interface ServiceInput {
  /** The topic of the certificates. */
  readonly topic: string;
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly publishesResults?: boolean | undefined;
}

/** A service whose topics exist, and that no process runs yet. */
interface PreparedService {
  readonly names: TopicNames;
  /** Starts the process, without waiting until it is ready. */
  launch(): Promise<LaunchedService>;
}

interface LaunchedService extends RunningSystem {
  /** Base URL of the probes and metrics. */
  readonly url: string;
  /** Resolves once the service is ready. */
  ready(): Promise<void>;
}

const tierDelays = ['10s', '1m', '10m', '1h', '6h', '24h', '36h'];
const configurationsPerRequest = 1000;

/** Prepares a service with its default settings in a new consumer group, which starts at the first record. */
export async function prepareService(
  { kafka, brokers, receiver, authorityFile, logFile }: BenchEnvironment,
  { topic, partitions, subscribers, publishesResults = false }: ServiceInput,
): Promise<PreparedService> {
  const names = topicNames(uniqueName('bench'), tierDelays);
  await createTopics(kafka, [
    ...[...names.tiers, names.results].map((one) => ({ topic: one, partitions })),
    { topic: names.deadLetters },
    { topic: names.configurations, settings: { 'cleanup.policy': 'compact' } },
  ]);
  const { owners, webhooksPerOwner } = subscribers;
  const ownersPerRequest = Math.ceil(configurationsPerRequest / webhooksPerOwner);
  for (let first = 0; first < owners; first += ownersPerRequest) {
    const chunk = Array.from({ length: Math.min(ownersPerRequest, owners - first) }, (_, index) =>
      configurationsOf(first + index, subscribers, (endpoint) => receiver.url(endpoint)),
    );
    await produce(kafka, names.configurations, chunk.flat());
  }
  const variables: Environment = {
    ...environmentOf(names, brokers),
    CERTIFICATE_TOPICS: `${topic}=certificate_completed`,
    CERTIFICATE_START: 'earliest',
    DELIVERY_ID_HEADER: 'x-delivery-id',
    DELIVERY_ALLOWED_PORTS: '1-65535',
    DELIVERY_CA_FILE: authorityFile,
    ...(publishesResults ? { RESULTS_TOPIC: names.results } : {}),
  };
  return { names, launch: () => launch(variables, logFile) };
}

/** Prepares a service, starts it, and waits until it is ready. */
export async function startService(environment: BenchEnvironment, input: ServiceInput): Promise<RunningSystem> {
  const service = await (await prepareService(environment, input)).launch();
  await service.ready();
  return service;
}

async function launch(variables: Environment, logFile: string): Promise<LaunchedService> {
  const port = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(logFile, 'w');
  const { system } = startPinned(join(root, 'src', 'main.ts'), ['serve'], {
    env: { PATH: process.env['PATH'], ...variables, HTTP_PORT: String(port) },
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  return { ...system, url, ready: () => eventually('the service is ready', () => answersOk(`${url}/readyz`)) };
}
