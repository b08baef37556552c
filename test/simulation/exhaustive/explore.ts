import { createHash } from 'node:crypto';
import { checkRun } from '../checkers/check-run.ts';
import type { Violation } from '../checkers/violation.ts';
import { describeViolations } from '../failure-report.ts';
import type { Mutant } from '../mutants/mutation.ts';
import type { Run } from '../run-scenario.ts';
import type { Alternative, Deviations, Point } from './choices.ts';
import { runWorld } from './world.ts';

export interface Exploration {
  readonly runs: number;
  /** Points that were passed, in all runs together. */
  readonly points: number;
  /** Hashes of what happened in the runs. */
  readonly histories: ReadonlySet<string>;
  readonly counterexamples: readonly Counterexample[];
}

export interface Counterexample {
  readonly deviations: Deviations;
  /** The deviations in words, in their order. */
  readonly schedule: readonly string[];
  readonly run: Run;
  readonly violations: readonly Violation[];
}

interface Scope {
  /** The most deviations of a run. */
  readonly depth: number;
  /** The number of the part to explore, from 0, of `shares` parts that cover everything together. */
  readonly share?: number;
  readonly shares?: number;
  readonly mutant?: Mutant | undefined;
  /** Ends the exploration after this many counterexamples. */
  readonly most?: number;
}

/**
 * Runs the world in each way with at most `depth` deviations from the usual one. Deviations are chosen in their order in time, so
 * no set of them is run twice. What comes after a deviation has points of its own, which can deviate likewise.
 */
export async function explore({ depth, share = 0, shares = 1, mutant, most = 1 }: Scope): Promise<Exploration> {
  let [runs, points, next] = [0, 0, 0];
  const histories = new Set<string>();
  const counterexamples: Counterexample[] = [];
  const visit = async (deviations: Deviations, schedule: readonly string[]): Promise<void> => {
    const { run, points: passed } = await runWorld(deviations, mutant?.createMutation());
    // The first run, and those that lead to the shares, are every share's.
    const isOurs = deviations.size > 0 || share === 0;
    if (isOurs) {
      runs += 1;
      points += passed.length;
      histories.add(createHash('sha1').update(JSON.stringify(run.entries)).digest('base64'));
      const violations = checkRun(run);
      if (violations.length > 0) counterexamples.push({ deviations, schedule, run, violations });
    }
    if (deviations.size === depth) return;
    for (const [number, alternative, point] of after(passed, Math.max(-1, ...deviations.keys()))) {
      if (counterexamples.length >= most) return;
      if (deviations.size === 0 && next++ % shares !== share) continue;
      await visit(new Map([...deviations, [number, alternative]]), [...schedule, `${point.what}: ${alternative}`]);
    }
  };
  await visit(new Map(), []);
  return { runs, points, histories, counterexamples };
}

/** Returns each alternative of each point behind the last deviation. */
function* after(points: readonly Point[], last: number): Iterable<readonly [number, Alternative, Point]> {
  for (const [index, point] of points.entries()) {
    if (index > last) for (const alternative of point.alternatives.slice(1)) yield [index, alternative, point];
  }
}

/** Describes a counterexample as a schedule, with what it violates and the events before. */
export function describeCounterexample({ deviations, schedule, run, violations }: Counterexample): string {
  const reproduction = JSON.stringify([...deviations]);
  return [
    'Deviations:',
    ...schedule.map((step) => `  ${step}`),
    `To run them again: runWorld(new Map(${reproduction}))`,
    ...describeViolations(run, violations),
  ].join('\n');
}
