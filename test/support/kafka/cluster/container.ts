import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { brokerProperties, type Properties } from './broker-properties.ts';
import { connectAdmin, quietClient } from '../client.ts';
import { kafkaVersion } from './distribution.ts';
import { eventually } from '../../time/eventually.ts';
import { findFreePorts, portsPerBroker } from './ports.ts';
import type { Progress } from './progress.ts';
import type { RunningKafka } from './start-kafka.ts';

const run = promisify(execFile);

/** Returns the command of an engine that answers. An installed engine is often not running. */
export async function findContainerEngine(): Promise<string | undefined> {
  for (const command of ['docker', 'podman']) {
    try {
      await run(command, ['info'], { timeout: 3000 });
      return command;
    } catch {
      // This engine is missing or not running.
    }
  }
  return undefined;
}

/** Starts one broker from the official image of Apache Kafka. */
export async function startContainer(
  engine: string,
  { properties = {}, progress }: { readonly properties?: Properties; readonly progress: Progress },
): Promise<RunningKafka> {
  const image = `docker.io/apache/kafka:${kafkaVersion}`;
  progress('pulling');
  await run(engine, ['pull', '--quiet', image]);
  progress('starting');
  const port = await findFreePorts(portsPerBroker);
  const settings = { ...containerProperties(port), ...properties };
  const environment = Object.entries(settings).flatMap(([name, value]) => ['--env', `${variable(name)}=${value}`]);
  const publish = ['--publish', `127.0.0.1:${port}:${port}`];
  const { stdout } = await run(engine, ['run', '--detach', '--rm', ...publish, ...environment, image]);
  const container = {
    brokers: [`127.0.0.1:${port}`],
    async [Symbol.asyncDispose]() {
      await run(engine, ['kill', stdout.trim()]);
    },
  };
  try {
    await untilUsable(container.brokers);
  } catch (error) {
    await container[Symbol.asyncDispose]();
    throw error;
  }
  return container;
}

/** Returns properties for a broker that listens on all addresses in the container and advertises the published one. */
function containerProperties(port: number): Properties {
  const layout = { brokers: 1, firstPort: port, folder: '/tmp/kafka', listeners: [] };
  return {
    ...brokerProperties(1, layout),
    listeners: `PLAINTEXT://0.0.0.0:${port},CONTROLLER://127.0.0.1:${port + portsPerBroker - 1}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
  };
}

/** Returns the environment variable of a property, as the image defines it: `log.dirs` is `KAFKA_LOG_DIRS`. */
function variable(property: string): string {
  const name = property.replaceAll('-', '___').replaceAll('_', '__').replaceAll('.', '_');
  return `KAFKA_${name.toUpperCase()}`;
}

async function untilUsable(brokers: readonly string[]): Promise<void> {
  const kafka = quietClient(brokers, { retry: { retries: 0 } });
  await eventually('the container answers', async () => {
    try {
      await using admin = await connectAdmin(kafka);
      return (await admin.describeCluster()).brokers.length > 0;
    } catch {
      return false;
    }
  });
}
