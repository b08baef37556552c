import type { Lack } from '../support/programs/missing-programs.ts';
import { certificateEvents } from './subscribers/certificates.ts';
import { countFailures, runChecks, checkShutdown, type CheckGroup } from './checks/run-checks.ts';
import { runCommand } from './environment/commands.ts';
import { startEnvironment, type DemoEnvironment } from './environment/environment.ts';
import { collectObservations, type Observations } from './scenario/observations.ts';
import { ServiceLog } from './scenario/service-log.ts';
import { overviewOf, type Scenario } from './scenario/scenario.ts';
import { awaitCommits, awaitNotices, runScenario } from './scenario/run-scenario.ts';
import {
  brokerLines,
  exploringLines,
  historyLines,
  metricsLines,
  noticeLines,
  openingLines,
  tryLines,
} from './view/captions.ts';
import { groupLines, verdictLines } from './view/check-lines.ts';
import { subscribers } from './subscribers/subscribers.ts';
import type { Presenter } from './view/presenter.ts';

interface DemoOptions {
  readonly keep: boolean;
  /** True for a cluster that the demo did not start. */
  readonly isExternal: boolean;
  /** The missing programs for which the memory broker stands in for Kafka. */
  readonly lacks: readonly Lack[];
  readonly presenter: Presenter;
  readonly now: () => number;
  /** Aborted when the user ends the demo. */
  readonly signal: AbortSignal;
}

/** Starts the environment, runs the scenario, checks the result and stops everything. Resolves to the exit code. */
export async function runDemo(options: DemoOptions): Promise<0 | 1> {
  const { presenter, keep, now } = options;
  const startedAt = now();
  await using stack = new AsyncDisposableStack();
  presenter.print(...brokerLines(options.lacks), ...openingLines);
  const log = new ServiceLog();
  const environment = await startEnvironment({ ...options, log }, stack);
  const scenario: Scenario = { log, events: certificateEvents(), produced: [] };
  await runScenario(environment, scenario, options);
  const observations = await observe(environment, scenario, options);
  const groups = runChecks(observations);
  presenter.print(...groups.flatMap(groupLines), ...historyLines(observations.results));
  presenter.print(...noticeLines(observations.notices));
  presenter.print(...tryLines(await tryWebhook(environment, options)));
  if (keep) {
    presenter.print(...verdictLines(groups, now() - startedAt), ...exploringLines(environment));
    await explore(environment, scenario, options);
  }
  const shutdown = await stopService(environment, log, presenter);
  presenter.print(...groupLines(shutdown));
  const all = [...groups, shutdown];
  if (!keep) {
    presenter.print(...verdictLines(all, now() - startedAt));
    presenter.print(...brokerLines(options.lacks), ...metricsLines(environment.service.url));
  }
  return countFailures(all) === 0 ? 0 : 1;
}

async function observe(
  environment: DemoEnvironment,
  scenario: Scenario,
  { presenter, signal }: DemoOptions,
): Promise<Observations> {
  presenter.print([]);
  const texts = { doing: 'collecting commits, dead letters and metrics', done: () => 'commits, dead letters, metrics' };
  return presenter.step(texts, async () => {
    await awaitCommits(environment, signal);
    await awaitNotices(environment, scenario, signal);
    return collectObservations(environment, scenario);
  });
}

/** Sends a sample certificate to the first webhook. After the checks, which count requests. */
async function tryWebhook(
  { service, variables }: DemoEnvironment,
  { presenter, signal }: DemoOptions,
): Promise<readonly string[]> {
  const [{ id, name }] = subscribers;
  presenter.print([]);
  return presenter.step({ doing: `try ${id}`, done: () => `try ${id}, the webhook of ${name}` }, () =>
    service.whileRunning(runCommand(['try', id], variables, signal)),
  );
}

/** Shows what happens until the user ends the demo. */
async function explore(
  { service }: DemoEnvironment,
  scenario: Scenario,
  { presenter, signal }: DemoOptions,
): Promise<void> {
  using _ = presenter.follow(() => overviewOf(scenario));
  const { promise: never } = Promise.withResolvers<never>();
  try {
    await service.whileRunning(never);
  } catch (error) {
    // An abort is the expected end; anything else means that the service has ended.
    if (!signal.aborted) throw error;
  }
}

async function stopService({ service }: DemoEnvironment, log: ServiceLog, presenter: Presenter): Promise<CheckGroup> {
  presenter.print([]);
  const exitCode = await presenter.step(
    { doing: 'SIGTERM: the service drains', done: (code) => `SIGTERM: the service exited with code ${code}` },
    () => service.stop(),
  );
  return checkShutdown(exitCode, log);
}
