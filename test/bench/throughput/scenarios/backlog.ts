import { uniqueName } from '../../../support/kafka/topics.ts';
import type { RunningSystem } from '../../running-system.ts';
import type { CertificateSet } from '../certificates.ts';
import type { BenchEnvironment } from '../environment.ts';
import { observing } from '../observer.ts';
import { usageOf } from '../process-usage.ts';
import { costBetween, sampleBetween, type Sample } from '../sample.ts';
import { startServiceFor } from '../service-setup.ts';
import type { Subscribers } from '../subscribers.ts';
import { startBareLoop } from '../systems/bare-loop.ts';
import { startKafkajsAlone } from '../systems/kafkajs-alone.ts';
import { startResumptionAlone } from '../systems/resumption-alone.ts';
import { startUndiciAlone } from '../systems/undici-alone.ts';

/** Certificates that wait in a topic, and their subscribers. */
export interface Backlog {
  readonly certificates: CertificateSet;
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly answerAfterMs: number;
  /** True if the service has a results topic. */
  readonly publishesResults?: boolean;
  /** Deliveries before the measured ones. */
  readonly warmUp: number;
  readonly measured: number;
}

/** Requests in flight of the systems that only send. */
const requestsInFlight = 256;
/** Enough to know the cost of one resumed connection. */
const resumptionEndpoints = 5000;

/** Measures the service. The program may be of another revision. */
export async function runService(environment: BenchEnvironment, backlog: Backlog, program: string): Promise<Sample> {
  const { certificates, partitions, subscribers, publishesResults } = backlog;
  const topic = await environment.topicOf(certificates, partitions);
  return runSender(environment, backlog, () =>
    startServiceFor(environment, { topic, partitions, subscribers, publishesResults }, program),
  );
}

/** Measures the least cost of sending. */
export async function runUndiciAlone(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const { certificates, subscribers } = backlog;
  const { authority } = environment.receiver;
  const setup = { certificates, subscribers, inFlight: requestsInFlight, authority, url: environment.receiver.url(0) };
  return runSender(environment, backlog, () => Promise.resolve(startUndiciAlone(setup)));
}

/** Measures kafkajs and undici in a loop. */
export async function runBareLoop(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const topic = await environment.topicOf(backlog.certificates, backlog.partitions);
  const { brokers, receiver } = environment;
  const { authority } = receiver;
  const to = { inFlight: requestsInFlight, authority, urls: [receiver.url(0)] };
  const loop = { brokers, topic, groupId: uniqueName('bench'), ...to };
  return runSender(environment, backlog, () => Promise.resolve(startBareLoop(loop)));
}

/** Measures the least cost of sending over a new connection that resumes its TLS session. */
export async function runResumptionAlone(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const { authority } = environment.receiver;
  const endpoints = Math.min(backlog.certificates.owners, resumptionEndpoints);
  const setup = { endpoints, inFlight: requestsInFlight, authority, url: environment.receiver.url(0) };
  const resumed = { ...backlog, warmUp: endpoints, measured: Math.floor(endpoints * 0.9) };
  return runSender(environment, resumed, () => Promise.resolve(startResumptionAlone(setup)));
}

/** Measures the least cost of reading. CPU seconds are per 10,000 records. */
export async function runKafkajsAlone(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const { certificates, partitions, warmUp, measured } = backlog;
  const { brokers } = environment;
  const topic = await environment.topicOf(certificates, partitions);
  const milestones = [warmUp, warmUp + measured];
  await using reader = startKafkajsAlone({ brokers, topic, groupId: uniqueName('bench'), milestones });
  const from = await checkpoint();
  await using _ = await observing(environment, reader, measured);
  return costBetween(from, await checkpoint());

  async function checkpoint(): Promise<Parameters<typeof costBetween>[0]> {
    const { records: requests, at } = await reader.nextMilestone();
    return { counts: { requests, at }, usage: usageOf(reader) };
  }
}

/** Starts a system and measures it from the end of its warm-up to its last measured delivery. */
export async function runSender(
  environment: BenchEnvironment,
  { warmUp, measured, answerAfterMs }: Backlog,
  start: () => Promise<RunningSystem>,
): Promise<Sample> {
  const { receiver } = environment;
  await receiver.prepare({ answerAfterMs, milestones: [warmUp, warmUp + measured] });
  const [first, last] = [receiver.reached(0), receiver.reached(1)];
  // The receiver ends when the run fails, which is then the error to report.
  last.catch(() => undefined);
  await using sender = await start();
  const from = { counts: await first, usage: usageOf(sender) };
  await using _ = await observing(environment, sender, measured);
  return sampleBetween(from, { counts: await last, usage: usageOf(sender) });
}
