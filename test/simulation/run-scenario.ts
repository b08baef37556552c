import type { Entry } from './history.ts';
import type { Scenario } from './scenario/scenario.ts';
import { noMutation, type Mutation } from './mutants/mutation.ts';
import { SimulatedEnvironment } from './environment/environment.ts';

/** What a run came to, to be judged. */
export interface Run {
  readonly scenario: Scenario;
  readonly entries: readonly Entry[];
  /** Everything had come to an end in time, and then every process ended. */
  readonly ended: RunOutcome;
}

export interface RunOutcome {
  readonly becameIdle: boolean;
  /** Partitions that were not committed to their ends when the run was over. */
  readonly unread: readonly string[];
  /** Records that some process still held. */
  readonly held: number;
  readonly failures: readonly string[];
  readonly stillUp: readonly string[];
}

/** Sessions, joins and retries of what went wrong last, before anything else can go on. */
const recoveryMs = 60_000;
const lookEveryMs = 1000;
/** The grace, and what the last commit and the leave may take. */
const partingMs = 40_000;

/** Plays the scenario to its end. The same scenario makes the same run. */
export async function runScenario(scenario: Scenario, mutation: Mutation = noMutation): Promise<Run> {
  const world = new SimulatedEnvironment(scenario, mutation);
  const { clock, startedAt } = world;
  const at = (): number => clock.now() - startedAt;
  for (const action of scenario.actions) {
    await clock.advance(action.atMs - at());
    world.perform(action);
  }
  await clock.advance(scenario.faultsEndAtMs - at());
  if (world.running.length === 0) world.start();
  const { maxAgeMs, tiersMs } = scenario.settings;
  const deadline = scenario.faultsEndAtMs + maxAgeMs + Math.max(...tiersMs) + recoveryMs;
  while (!world.isIdle() && at() < deadline) await clock.advance(lookEveryMs);
  const becameIdle = world.isIdle();
  const unread = world.unread();
  const held = world.running.reduce((sum, instance) => sum + instance.held, 0);
  world.stopAll();
  for (let waited = 0; waited < partingMs && !world.instances.every(({ isGone }) => isGone); waited += lookEveryMs) {
    await clock.advance(lookEveryMs);
  }
  const stillUp = world.instances.filter(({ isGone }) => !isGone).map(({ name }) => name);
  const failures = world.failures.map((failure) => (failure instanceof Error ? `${failure.stack}` : 'unknown'));
  return { scenario, entries: world.history.entries, ended: { becameIdle, unread, held, failures, stillUp } };
}
