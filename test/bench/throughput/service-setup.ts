import { uniqueName } from '../../support/kafka/topics.ts';
import type { Environment } from '../../../src/settings.ts';
import { createServiceTopics, resultsTopic, serviceVariables } from '../service-topics.ts';
import { startService, type RunningService } from '../service.ts';
import type { BenchEnvironment } from './environment.ts';
import { configurationsOf, type Subscribers } from './subscribers.ts';

interface ServiceInput {
  /** The topic of the certificates. */
  readonly topic: string;
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly publishesResults?: boolean | undefined;
}

/** Topics of its own for a service, and the environment variables that name them. */
interface PreparedService {
  /** The prefix of its topics, and the id of its consumer group. */
  readonly name: string;
  readonly variables: Environment;
}

/** Prepares a new consumer group, which starts at the first record. */
export async function prepareService(
  environment: BenchEnvironment,
  { topic, partitions, subscribers, publishesResults = false }: ServiceInput,
): Promise<PreparedService> {
  const { kafka, brokers, receiver, authorityFile } = environment;
  const name = uniqueName('bench');
  const configurations = configurationsOf(subscribers, (endpoint) => receiver.url(endpoint));
  await createServiceTopics(kafka, name, { partitions, configurations, publishesResults });
  const variables = serviceVariables({ name, certificates: topic, brokers, authorityFile });
  return { name, variables: publishesResults ? { ...variables, RESULTS_TOPIC: resultsTopic(name) } : variables };
}

/** Prepares a service, and starts it with its default settings. */
export async function startServiceFor(
  environment: BenchEnvironment,
  input: ServiceInput,
  program: string,
): Promise<RunningService> {
  const { variables } = await prepareService(environment, input);
  return startService({ program, variables, logFile: environment.logFile });
}
