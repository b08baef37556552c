import { setTimeout } from 'node:timers/promises';
import { subscribers } from '../subscribers/subscribers.ts';
import { lagByTopic } from '../environment/cluster.ts';
import type { ServiceProcess } from '../environment/service-process.ts';
import type { Stage } from '../environment/environment.ts';
import type { Presenter } from '../view/presenter.ts';
import { deliveriesOf } from './expectation.ts';
import { movedIn, readMetrics } from './metrics-page.ts';
import { sceneOf, type Plot } from './scenario.ts';
import { produceInHandfuls, type Produced } from './production.ts';
import { settledIn } from './delivery-counts.ts';

interface Telling {
  readonly presenter: Presenter;
  readonly signal: AbortSignal;
}

/** Produces all certificates and waits until what becomes of them is settled, or long overdue. */
export async function tellStory(stage: Stage, plot: Plot, { presenter, signal }: Telling): Promise<void> {
  const { kafka, names, service } = stage;
  {
    using _ = presenter.follow(() => sceneOf(plot));
    const onProduced = (produced: readonly Produced[]): void => void plot.produced.push(...produced);
    await service.whileUp(produceInHandfuls({ kafka, names, events: plot.events, onProduced, signal }));
    const deliveries = deliveriesOf(subscribers, plot.events);
    await soon(30_000, { service, signal }, () => Promise.resolve(settledIn(plot.journal.attempts) >= deliveries));
  }
  presenter.keep(sceneOf(plot));
}

/** Commits are at most a second apart. */
export async function awaitCommits(stage: Stage, signal: AbortSignal): Promise<void> {
  await soon(10_000, { service: stage.service, signal }, () => isCommitted(stage));
}

/** For the brokers as for the service, which hears of it a moment later. */
async function isCommitted({ kafka, names, service }: Stage): Promise<boolean> {
  const lags = Object.values(await lagByTopic(kafka, names));
  if (lags.some((lag) => lag > 0)) return false;
  const { body } = await service.get('/metrics');
  return Object.keys(movedIn(readMetrics(body), 'uncommitted_records')).length === 0;
}

interface Waiting {
  readonly service: ServiceProcess;
  readonly signal: AbortSignal;
}

/** Waits until it is so, but not for ever: what is not so by then, the checks tell better than an error here. */
async function soon(withinMs: number, { service, signal }: Waiting, ask: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await service.whileUp(ask())) && Date.now() < deadline) await setTimeout(50, undefined, { signal });
}
