import type { Entry } from './history.ts';
import type { Scenario } from './scenario/scenario.ts';
import { noMutation, type Mutation } from './mutants/mutation.ts';
import { SimulatedEnvironment, type Chooser } from './environment/environment.ts';

/** A finished run, as the checkers read it. */
export interface Run {
  readonly scenario: Scenario;
  readonly entries: readonly Entry[];
  readonly outcome: RunOutcome;
}

interface RunOutcome {
  /** True if all records were committed and none was in flight before the deadline. */
  readonly becameIdle: boolean;
  /** The partitions that were not committed to their ends by then, with their lag. */
  readonly unread: readonly string[];
  /** The number of records still in flight by then. */
  readonly held: number;
  /** The errors of starts and stops. */
  readonly failures: readonly string[];
  /** The processes that did not exit when they were stopped. */
  readonly notExited: readonly string[];
}

/** Enough for the last fault: an expired session, a new join and the retries of a request. */
export const recoveryMs = 60_000;
const pollEveryMs = 1000;
/** Enough for `SHUTDOWN_GRACE`, the last commit and the leave. */
const shutdownMs = 40_000;

/**
 * Runs the service through a scenario. The same scenario makes the same run.
 *
 * 1. Performs all actions at their times.
 * 2. Once faults have ended, waits until the environment is idle, at most until every delivery has passed its maximum
 *    age.
 * 3. Stops all processes and waits for them to exit.
 */
export async function runScenario(
  scenario: Scenario,
  mutation: Mutation = noMutation,
  chooser?: Chooser,
): Promise<Run> {
  const environment = new SimulatedEnvironment(scenario, mutation, chooser);
  const { clock, startedAt } = environment;
  const at = (): number => clock.now() - startedAt;
  for (const action of scenario.actions) {
    await clock.advance(action.atMs - at());
    environment.perform(action);
  }
  await clock.advance(scenario.faultsEndAtMs - at());
  if (environment.running.length === 0) environment.start();
  const { maxAgeMs, tiersMs } = scenario.settings;
  const deadline = scenario.faultsEndAtMs + maxAgeMs + clockErrorMs(scenario) + Math.max(...tiersMs) + recoveryMs;
  while (!environment.isIdle() && at() < deadline) await clock.advance(pollEveryMs);
  const becameIdle = environment.isIdle();
  const unread = environment.unread();
  const held = environment.running.reduce((sum, instance) => sum + instance.held, 0);
  environment.stopAll();
  for (
    let waited = 0;
    waited < shutdownMs && !environment.instances.every(({ hasExited }) => hasExited);
    waited += pollEveryMs
  ) {
    await clock.advance(pollEveryMs);
  }
  const notExited = environment.instances.filter(({ hasExited }) => !hasExited).map(({ name }) => name);
  const failures = environment.failures.map((failure) => (failure instanceof Error ? `${failure.stack}` : 'unknown'));
  return { scenario, entries: environment.history.entries, outcome: { becameIdle, unread, held, failures, notExited } };
}

/** Returns by how much a delivery may outlive its maximum age, because wall clocks were set after it was planned. */
function clockErrorMs({ actions }: Scenario): number {
  return actions.reduce((sum, action) => sum + (action.kind === 'set_clock' ? Math.abs(action.ms) : 0), 0);
}
