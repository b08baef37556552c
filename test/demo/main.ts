/**
 * `npm run demo [-- --keep]` runs the service with a real Kafka: certificate events are produced, the service posts them to local
 * HTTPS endpoints, and its behaviour is compared with what it promises. Exits with 0 when every check is ok, and with 1 when one
 * failed. With `--keep` everything runs on after the checks, for you to explore. `npm run dev` runs the same environment without
 * certificates and checks: it prints the log of the service, which starts again when a file of `src` changes.
 *
 * Kafka is the cluster in KAFKA_BROKERS, without TLS or a login: the demo creates its own topics there, and deletes them at the
 * end. Otherwise it is started on this machine, in a container or with Java. Without both, a broker in memory stands in. Ctrl-C
 * cleans up at any time.
 */
import { parseArgs } from 'node:util';
import { lacksOfKafka, memoryLines } from '../support/kafka/cluster/kafka-lacks.ts';
import { certificateEvents } from './subscribers/certificates.ts';
import { runChecks, checkShutdown } from './checks/run-checks.ts';
import { runCommand } from './environment/service-process.ts';
import { startEnvironment, type DemoEnvironment } from './environment/environment.ts';
import { circuitFailures, delays } from './environment/service-environment.ts';
import { explore } from './explore.ts';
import { listenForInterrupts } from './interrupts.ts';
import { print, printGroup, printVerdict, step, styled } from './print.ts';
import { collectObservations, type Observations } from './scenario/observations.ts';
import { awaitCommits, awaitNotices, runScenario } from './scenario/run-scenario.ts';
import { shortLine } from './scenario/service-log.ts';
import { subscribers } from './subscribers/subscribers.ts';
import { MissingToolError } from '../support/kafka/cluster/java.ts';

/** The exit code that shells use for a process ended by SIGINT. */
const interruptedCode = 130;

const isOff = { type: 'boolean', default: false } as const;
/** `watch` is `npm run dev`, and `inspect` opens Node's debugger in its service. */
const { keep, watch, inspect } = parseArgs({ options: { keep: isOff, watch: isOff, inspect: isOff } }).values;
const nodeFlags = [...(watch ? ['--watch', '--watch-preserve-output'] : []), ...(inspect ? ['--inspect'] : [])];
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
  print(...brokerLines);
  if (watch) return await runWatched(stack);
  print(
    '',
    styled('bold', 'certificate-webhooks  demo'),
    'Certificate events are produced to Kafka; the service posts each to the webhooks',
    'of its owner. One endpoint fails twice, one always: their retries wait for',
    `${delays.join(', ')}. CIRCUIT_FAILURES is ${circuitFailures}: a circuit opens with the last failure.`,
    '',
  );
  const environment = await startEnvironment({ signal, stack, nodeFlags });
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
    await explore(environment, signal);
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

/** Runs the service with the settings of this process, and prints its log, until the user ends it. */
async function runWatched(stack: AsyncDisposableStack): Promise<0> {
  const onLine = (line: string): void => print(shortLine(line));
  const environment = await startEnvironment({ signal, stack, nodeFlags, settings: process.env, onLine });
  await explore(environment, signal);
  await environment.service.stop();
  return 0;
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

/** Returns the message with those of its causes, outermost first. */
function describeError(error: unknown): string {
  if (error instanceof MissingToolError) return error.message;
  if (error instanceof SuppressedError)
    return `${describeError(error.error)}\nafter: ${describeError(error.suppressed)}`;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nbecause: ${describeError(error.cause)}`;
  return `${error.name}: ${error.message}${cause}`;
}
