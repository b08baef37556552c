import { poll } from '../../support/time/eventually.ts';
import { eventsFor, subscribers } from '../subscribers/subscribers.ts';
import { lagByTopic } from '../environment/cluster.ts';
import type { ServiceProcess } from '../environment/service-process.ts';
import type { DemoEnvironment } from '../environment/environment.ts';
import type { Presenter } from '../view/presenter.ts';
import { nonZeroSamples, readMetrics } from './metrics-page.ts';
import { overviewOf, type Scenario } from './scenario.ts';
import { produceInBatches, type ProducedCertificate } from './production.ts';
import { countSettled } from './delivery-counts.ts';

interface RunOptions {
  readonly presenter: Presenter;
  readonly signal: AbortSignal;
}

/** Produces all certificates. Waits until all deliveries are settled, but at most 30 s. */
export async function runScenario(
  environment: DemoEnvironment,
  scenario: Scenario,
  { presenter, signal }: RunOptions,
): Promise<void> {
  const { kafka, names, service } = environment;
  {
    using _ = presenter.follow(() => overviewOf(scenario));
    const onProduced = (produced: readonly ProducedCertificate[]): void => void scenario.produced.push(...produced);
    await service.whileRunning(produceInBatches({ kafka, names, events: scenario.events, onProduced, signal }));
    await waitUntil(30_000, { service, signal }, () => Promise.resolve(areAllSettled(scenario)));
  }
  presenter.keep(overviewOf(scenario));
}

function areAllSettled({ log, events }: Scenario): boolean {
  const deliveries = subscribers.flatMap((subscriber) => eventsFor(subscriber, events));
  return countSettled(log.attempts) >= deliveries.length;
}

/** Waits for the commits of the groups, at most 10 s. The service commits every second. */
export async function awaitCommits(environment: DemoEnvironment, signal: AbortSignal): Promise<void> {
  await waitUntil(10_000, { service: environment.service, signal }, () => isCommitted(environment));
}

/** Waits until the example consumer has told of each dead letter and of the open circuit, at most 10 s. */
export async function awaitNotices(
  { service, history }: DemoEnvironment,
  scenario: Scenario,
  signal: AbortSignal,
): Promise<void> {
  const failing = subscribers.filter(({ behaviour }) => behaviour === 'always_fails');
  const expected = failing.map((subscriber) => eventsFor(subscriber, scenario.events).length + 1);
  const count = expected.reduce((sum, one) => sum + one, 0);
  await waitUntil(10_000, { service, signal }, () => Promise.resolve(history.notices.length >= count));
}

/** Returns whether both the brokers and the metrics of the service show no uncommitted record. */
async function isCommitted({ kafka, names, service }: DemoEnvironment): Promise<boolean> {
  const lags = Object.values(await lagByTopic(kafka, names));
  if (lags.some((lag) => lag > 0)) return false;
  const { body } = await service.get('/metrics');
  return Object.keys(nonZeroSamples(readMetrics(body), 'uncommitted_records')).length === 0;
}

interface WaitOptions {
  readonly service: ServiceProcess;
  readonly signal: AbortSignal;
}

/** Waits until the answer is true or the time is up. The checks report what is still missing then. */
async function waitUntil(
  withinMs: number,
  { service, signal }: WaitOptions,
  ask: () => Promise<boolean>,
): Promise<void> {
  await poll(() => service.whileRunning(ask()), { withinMs, everyMs: 50, signal });
}
