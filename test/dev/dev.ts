import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Kafka } from 'kafkajs';
import type { Environment } from '../../src/settings.ts';
import { deleteTopicsAndGroups, startCluster } from '../demo/environment/cluster.ts';
import { namesFor, serviceEnvironment, type Names } from '../demo/environment/service-environment.ts';
import { Program } from '../demo/environment/program.ts';
import { ServiceEndedError } from '../demo/environment/service-process.ts';
import { runCommand } from '../demo/environment/commands.ts';
import { untilAborted } from '../demo/until-aborted.ts';
import { createAuthority } from '../support/tls/authority.ts';
import { quietClient } from '../support/kafka/client.ts';
import { findFreePorts } from '../support/kafka/cluster/ports.ts';
import { memoryLines } from '../support/kafka/cluster/kafka-lacks.ts';
import { stepText } from '../support/kafka/cluster/progress.ts';
import { uniqueName } from '../support/kafka/topics.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { isStart, shortLine } from './log-line.ts';
import { startReceiver } from './receiver.ts';
import { sendCertificate, writeConfiguration } from './sample.ts';

interface DevOptions {
  /** Settings in it replace those of the sample. */
  readonly environment: Environment;
  /** Flags of the service's Node, such as `--inspect`. */
  readonly nodeFlags: readonly string[];
  /** Each line of it sends a certificate. */
  readonly input: Readable;
  readonly print: (line: string) => void;
  /** Ends everything when it is aborted. */
  readonly signal: AbortSignal;
}

/** Time to drain and exit. The sample's `SHUTDOWN_GRACE` is 10 s. */
const stopWithinMs = 15_000;

/** Starts Kafka, a receiver and the service, and runs until the signal is aborted. Then it ends them in reverse. */
export async function runDev(options: DevOptions): Promise<never> {
  const { print, signal } = options;
  await using stack = new AsyncDisposableStack();
  const { brokers, kafka, names } = await openCluster(options, stack);
  const authority = createAuthority('Development authority');
  const receiver = stack.use(await startReceiver(authority, print));
  const files = stack.use(await writeTemporaryFiles({ 'authority.pem': authority.certificate }));
  const sample = serviceEnvironment({
    brokers,
    names,
    authorityFile: files.path('authority.pem'),
    ports: [receiver.port],
    httpPort: await findFreePorts(1),
  });
  const environment = { ...sample, ...options.environment, KAFKA_BROKERS: brokers.join(',') };
  print(`creating the topics ${names.prefix}.*`);
  await runCommand(['topics', '--create'], environment, signal);
  await untilAborted(signal, writeConfiguration(kafka, names, receiver.url('/certificates')));
  print('starting the service with node --watch');
  const ended = watchService({ ...options, environment }, stack);
  return await untilAborted(signal, Promise.race([ended, sendOnEnter(kafka, names, options)]));
}

async function openCluster(
  { environment, print, signal }: DevOptions,
  stack: AsyncDisposableStack,
): Promise<{ readonly brokers: readonly string[]; readonly kafka: Kafka; readonly names: Names }> {
  const { brokers, lacks = [] } = stack.use(await startCluster((step) => print(stepText[step]), signal));
  if (lacks.length > 0) memoryLines(lacks).forEach(print);
  const kafka = quietClient(brokers);
  const names = namesFor(uniqueName('dev'));
  const isExternal = (environment['KAFKA_BROKERS'] ?? '') !== '';
  if (isExternal) stack.defer(() => deleteTopicsAndGroups(kafka, names));
  return { brokers, kafka, names };
}

/** Starts the service below `node --watch`, which restarts it on each change. Rejects when the watcher itself ends. */
async function watchService(
  { environment, nodeFlags, print }: DevOptions,
  stack: AsyncDisposableStack,
): Promise<never> {
  const program = new Program({
    args: ['serve'],
    environment,
    nodeFlags: ['--watch', '--watch-preserve-output', ...nodeFlags],
    onLine: (line) => {
      print(shortLine(line));
      if (isStart(line)) for (const help of helpLines(environment)) print(help);
    },
    onErrorLine: print,
  });
  stack.defer(async () => void (await program.stop(stopWithinMs)));
  const code = await program.exited;
  throw new ServiceEndedError(`node --watch ended with exit code ${code}.`);
}

function helpLines(environment: Environment): readonly string[] {
  return [
    '',
    `  Status page  http://127.0.0.1:${environment['HTTP_PORT']}/`,
    '  Enter        sends a certificate',
    '  Ctrl-C       ends everything',
    '',
  ];
}

/** Sends a certificate for each line. Never resolves: the input may end before the service does. */
async function sendOnEnter(kafka: Kafka, names: Names, { input, print, signal }: DevOptions): Promise<never> {
  using lines = createInterface({ input, signal });
  for await (const _ of lines) print(await sendCertificate(kafka, names));
  return await new Promise<never>(() => undefined);
}
