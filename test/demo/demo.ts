import { certificateEvents } from './subscribers/certificates.ts';
import { failuresIn, judge, judgeEnd, type CheckGroup } from './checks/run-checks.ts';
import { setStage, type Stage } from './environment/environment.ts';
import { collectEvidence, type Evidence } from './scenario/observations.ts';
import { Journal } from './scenario/service-log.ts';
import { sceneOf, type Plot } from './scenario/scenario.ts';
import { awaitCommits, tellStory } from './scenario/run-scenario.ts';
import { exploringLines, metricsLines, openingLines } from './view/captions.ts';
import { groupLines, verdictLines } from './view/check-lines.ts';
import type { Presenter } from './view/presenter.ts';

export interface DemoOptions {
  readonly keep: boolean;
  /** The cluster is somebody else's. */
  readonly isExternal: boolean;
  readonly presenter: Presenter;
  readonly now: () => number;
  /** Aborted when the demo is asked to end. */
  readonly signal: AbortSignal;
}

/** Sets the stage, tells the story, checks it, and takes everything down again. Resolves to the exit code. */
export async function runDemo(options: DemoOptions): Promise<0 | 1> {
  const { presenter, keep, now } = options;
  const startedAt = now();
  await using stack = new AsyncDisposableStack();
  presenter.print(...openingLines);
  const journal = new Journal();
  const stage = await setStage({ ...options, journal }, stack);
  const plot: Plot = { journal, events: certificateEvents(), produced: [] };
  await tellStory(stage, plot, options);
  const groups = judge(await gather(stage, plot, options));
  presenter.print(...groups.flatMap(groupLines));
  if (keep) {
    presenter.print(...verdictLines(groups, now() - startedAt), ...exploringLines(stage));
    await explore(stage, plot, options);
  }
  const end = await endService(stage, journal, presenter);
  presenter.print(...groupLines(end));
  const all = [...groups, end];
  if (!keep) presenter.print(...verdictLines(all, now() - startedAt), ...metricsLines(stage.service.url));
  return failuresIn(all) === 0 ? 0 : 1;
}

async function gather(stage: Stage, plot: Plot, { presenter, signal }: DemoOptions): Promise<Evidence> {
  presenter.print([]);
  const words = { doing: 'gathering commits, dead letters and metrics', done: () => 'commits, dead letters, metrics' };
  return presenter.step(words, async () => {
    await awaitCommits(stage, signal);
    return collectEvidence(stage, plot);
  });
}

/** Shows what happens until somebody ends it. */
async function explore({ service }: Stage, plot: Plot, { presenter, signal }: DemoOptions): Promise<void> {
  using _ = presenter.follow(() => sceneOf(plot));
  const { promise: never } = Promise.withResolvers<never>();
  try {
    await service.whileUp(never);
  } catch (error) {
    // Being called off is the way this ends; that the service ended is not.
    if (!signal.aborted) throw error;
  }
}

async function endService({ service }: Stage, journal: Journal, presenter: Presenter): Promise<CheckGroup> {
  presenter.print([]);
  const exitCode = await presenter.step(
    { doing: 'SIGTERM: the service drains', done: (code) => `SIGTERM: the service ended with ${code}` },
    () => service.stop(),
  );
  return judgeEnd(exitCode, journal);
}
