import { poll } from '../../support/time/eventually.ts';
import type { CertificateEvent } from '../subscribers/certificates.ts';
import { eventsFor, subscribers } from '../subscribers/subscribers.ts';
import { lagByTopic } from '../environment/cluster.ts';
import type { DemoEnvironment } from '../environment/environment.ts';
import { readMetrics, sumOf } from '../checks/log.ts';
import { produceInBatches, type ProducedCertificate } from './production.ts';

/** Produces all certificates. Waits until all deliveries are settled, but at most 30 s. */
export async function runScenario(
  environment: DemoEnvironment,
  events: readonly CertificateEvent[],
  signal: AbortSignal,
): Promise<readonly ProducedCertificate[]> {
  const { kafka, names, service, log } = environment;
  const deliveries = subscribers.flatMap((subscriber) => eventsFor(subscriber, events)).length;
  const produced = await service.whileRunning(produceInBatches({ kafka, names, events, signal }));
  await waitUntil(30_000, environment, signal, async () => {
    const settled = log.attempts.filter(({ settlement }) => settlement === 'done' || settlement === 'dead');
    return Promise.resolve(settled.length >= deliveries);
  });
  return produced;
}

/** Waits for the commits of the groups, at most 10 s. The service commits every second. */
export async function awaitCommits(environment: DemoEnvironment, signal: AbortSignal): Promise<void> {
  const { kafka, names, service } = environment;
  await waitUntil(10_000, environment, signal, async () => {
    const lags = Object.values(await lagByTopic(kafka, names));
    if (lags.some((lag) => lag > 0)) return false;
    const { body } = await service.get('/metrics');
    return sumOf(readMetrics(body), 'uncommitted_records') === 0;
  });
}

/** Waits until the example consumer has told of each dead letter and of the open circuit, at most 10 s. */
export async function awaitNotices(
  environment: DemoEnvironment,
  events: readonly CertificateEvent[],
  signal: AbortSignal,
): Promise<void> {
  const failing = subscribers.filter(({ behaviour }) => behaviour === 'always_fails');
  const count = failing.flatMap((subscriber) => eventsFor(subscriber, events)).length + failing.length;
  await waitUntil(10_000, environment, signal, () => Promise.resolve(environment.notices.length >= count));
}

/** Waits until the answer is true or the time is up. The checks report what is still missing then. */
async function waitUntil(
  withinMs: number,
  { service }: DemoEnvironment,
  signal: AbortSignal,
  ask: () => Promise<boolean>,
): Promise<void> {
  await poll(() => service.whileRunning(ask()), { withinMs, everyMs: 50, signal });
}
