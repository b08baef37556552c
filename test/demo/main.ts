/**
 * `npm run demo [-- --keep]` runs the service with a real Kafka: certificate events are produced, the service posts them to local
 * HTTPS endpoints, and its behaviour is compared with what it promises. Exits with 0 when every check is ok, and with 1 when one
 * failed. With `--keep` everything runs on after the checks, for you to explore.
 *
 * Kafka is the cluster in KAFKA_BROKERS, without TLS or a login: the demo creates its own topics there, and deletes them at the
 * end. Otherwise it is started on this machine, in a container or with Java. Without both, a broker in memory stands in. Ctrl-C
 * cleans up at any time.
 */
import { parseArgs } from 'node:util';
import { lacksOfKafka, memoryLines } from '../support/kafka/cluster/kafka-lacks.ts';
import { certificateEvents } from './subscribers/certificates.ts';
import { runChecks, checkShutdown } from './checks/run-checks.ts';
import { describeError } from './describe-error.ts';
import { runCommand } from './environment/commands.ts';
import { startEnvironment, type DemoEnvironment } from './environment/environment.ts';
import { circuitFailures, delays } from './environment/service-environment.ts';
import { listenForInterrupts } from './interrupts.ts';
import { print, printGroup, printVerdict, step, styled } from './print.ts';
import { collectObservations, type Observations } from './scenario/observations.ts';
import { awaitCommits, awaitNotices, runScenario } from './scenario/run-scenario.ts';
import { owners } from './subscribers/owners.ts';
import { subscribers } from './subscribers/subscribers.ts';

/** The exit code that shells use for a process ended by SIGINT. */
const interruptedCode = 130;

const { keep } = parseArgs({ options: { keep: { type: 'boolean', default: false } } }).values;
const signal = listenForInterrupts();

// Open connections of Kafka clients would keep the process running.
process.exit(await main());

async function main(): Promise<number> {
  try {
    return await runDemo();
  } catch (error) {
    // An error during the shutdown matters more than the interrupt that caused it.
    const isInterrupted = signal.aborted && !(error instanceof SuppressedError);
    process.stderr.write(isInterrupted ? 'Interrupted; everything has been stopped.\n' : `${describeError(error)}\n`);
    return isInterrupted ? interruptedCode : 1;
  }
}

/** Starts the environment, runs the scenario, checks the result and stops everything. Resolves to the exit code. */
async function runDemo(): Promise<0 | 1> {
  const startedAt = Date.now();
  const lacks = await lacksOfKafka();
  const brokerLines = lacks.length === 0 ? [] : memoryLines(lacks);
  await using stack = new AsyncDisposableStack();
  print(
    ...brokerLines,
    '',
    styled('bold', 'certificate-webhooks  demo'),
    'Certificate events are produced to Kafka; the service posts each to the webhooks',
    'of its owner. One endpoint fails twice, one always: their retries wait for',
    `${delays.join(', ')}. CIRCUIT_FAILURES is ${circuitFailures}: a circuit opens with the last failure.`,
    '',
  );
  const environment = await startEnvironment(signal, stack);
  const { service, log, variables } = environment;
  const observations = await observe(environment);
  const groups = runChecks(observations);
  groups.forEach(printGroup);
  printHistory(observations);
  // After the checks, which count requests.
  const [{ id, name }] = subscribers;
  const tried = await step(
    `try ${id}`,
    () => service.whileRunning(runCommand(['try', id], variables, signal)),
    () => `try ${id}, the webhook of ${name}`,
  );
  print(...tried.map((line) => `    ${line}`));
  if (keep) {
    printVerdict(groups, Date.now() - startedAt);
    await explore(environment);
  }
  print('');
  const exitCode = await step(
    'SIGTERM: the service drains',
    () => service.stop(),
    (code) => `SIGTERM: the service exited with code ${code}`,
  );
  const all = [...groups, checkShutdown(exitCode, log)];
  all.slice(-1).forEach(printGroup);
  if (!keep) printVerdict(all, Date.now() - startedAt);
  print(...brokerLines, styled('dim', 'npm run demo -- --keep keeps everything running.'));
  return all.some(({ checks }) => checks.some(({ problem }) => problem !== undefined)) ? 1 : 0;
}

async function observe(environment: DemoEnvironment): Promise<Observations> {
  const events = certificateEvents();
  const produced = await step(
    `producing ${events.length} certificates`,
    () => runScenario(environment, events, signal),
    ({ length }) => `${length} certificates produced, and their deliveries settled`,
  );
  return step(
    'collecting commits, dead letters and metrics',
    async () => {
      await awaitCommits(environment, signal);
      await awaitNotices(environment, events, signal);
      return collectObservations(environment, produced);
    },
    () => 'commits, dead letters, metrics',
  );
}

/** Prints the results of the delivery with most of them, and what the example consumer tells its owner. */
function printHistory({ results, notices }: Observations): void {
  const told = results.filter(({ deliveryId }) => deliveryId !== undefined);
  const deliveries = [...Map.groupBy(told, ({ deliveryId }) => deliveryId).values()];
  const [longest = []] = deliveries.toSorted((one, other) => other.length - one.length);
  print('', `${styled('bold', 'The results topic on one delivery')}  ${longest[0]?.deliveryId ?? ''}`);
  for (const { at, type, attempt, outcome, status, settlement, reason } of longest) {
    const words = ['attempt', attempt, outcome, status, settlement ?? reason].filter((word) => word !== undefined);
    print(`  ${at}  ${type.padEnd(24)}${words.join(' ')}`);
  }
  const shown = [...notices.filter((notice) => notice.includes('endpoint')), ...notices.slice(0, 1)];
  print('', styled('bold', 'What docs/examples/history.mjs makes of that topic, for the owner'));
  print(...shown.map((notice) => `  ${notice}`), `  and ${notices.length - shown.length} more`, '');
}

/** Prints what can be explored, and waits until the user ends the demo. */
async function explore({ brokers, names, endpoints, service }: DemoEnvironment): Promise<void> {
  const facts = [
    ...['metrics', 'readyz', 'endpoints'].map((path) => [path, `${service.url}/${path}`]),
    ['brokers', brokers.join(',')],
    ['topics', `${names.prefix}.*`],
    ...endpoints.map(({ subscriber, endpoint }) => [subscriber.name, endpoint.url('/certificates')]),
  ];
  print('', styled('bold', 'Everything keeps running until Ctrl-C.'));
  print(...facts.map(([title = '', text]) => `  ${title.padEnd(22)}${text}`));
  print(
    '  To send another certificate, run this in the root of the repository:',
    `    npx node test/demo/send-certificate.ts \\`,
    `      ${brokers.join(',')} \\`,
    `      ${names.completed} ${owners.summit.id}`,
    '',
  );
  try {
    await service.whileRunning(Promise.withResolvers<never>().promise);
  } catch (error) {
    // An abort is the expected end; anything else means that the service has ended.
    if (!signal.aborted) throw error;
  }
}
