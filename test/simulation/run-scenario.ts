import type { Entry } from './history.ts';
import type { Plot } from './scenario/scenario.ts';
import { honest, type Sabotage } from './mutants/mutation.ts';
import { World } from './environment/environment.ts';

/** What a run came to, to be judged. */
export interface Run {
  readonly plot: Plot;
  readonly entries: readonly Entry[];
  /** Everything had come to an end in time, and then every process ended. */
  readonly ended: Ended;
}

export interface Ended {
  readonly cameToRest: boolean;
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

/** Plays the plot to its end. The same plot makes the same run. */
export async function play(plot: Plot, sabotage: Sabotage = honest): Promise<Run> {
  const world = new World(plot, sabotage);
  const { clock, startedAt } = world;
  const at = (): number => clock.now() - startedAt;
  for (const act of plot.acts) {
    await clock.advance(act.atMs - at());
    world.perform(act);
  }
  await clock.advance(plot.calmAtMs - at());
  if (world.running.length === 0) world.start();
  const { maxAgeMs, tiersMs } = plot.settings;
  const deadline = plot.calmAtMs + maxAgeMs + Math.max(...tiersMs) + recoveryMs;
  while (!world.isAtRest() && at() < deadline) await clock.advance(lookEveryMs);
  const cameToRest = world.isAtRest();
  const unread = world.unread();
  const held = world.running.reduce((sum, instance) => sum + instance.held, 0);
  world.stopAll();
  for (let waited = 0; waited < partingMs && !world.instances.every(({ isGone }) => isGone); waited += lookEveryMs) {
    await clock.advance(lookEveryMs);
  }
  const stillUp = world.instances.filter(({ isGone }) => !isGone).map(({ name }) => name);
  const failures = world.failures.map((failure) => (failure instanceof Error ? `${failure.stack}` : 'unknown'));
  return { plot, entries: world.history.entries, ended: { cameToRest, unread, held, failures, stillUp } };
}
