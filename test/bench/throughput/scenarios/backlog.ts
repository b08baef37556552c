import { once } from 'node:events';
import { uniqueName } from '../../../support/kafka/topics.ts';
import { startPinned, type RunningSystem } from '../../pinned-process.ts';
import { startService } from '../../service.ts';
import type { CertificateSet } from '../certificates.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';
import { costBetween, sampleBetween, type Sample } from '../sample.ts';
import type { Subscribers } from '../subscribers.ts';
import type { BareLoopSetup } from '../systems/bare-loop-process.ts';
import type { KafkajsSetup, RecordsRead } from '../systems/kafkajs-alone-process.ts';
import type { UndiciSetup } from '../systems/undici-alone-process.ts';

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

/** Measures the service. */
export async function runService(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const { certificates, partitions, subscribers, publishesResults } = backlog;
  const topic = await environment.topicOf(certificates, partitions);
  return runSender(environment, backlog, () =>
    startService(environment, { topic, partitions, subscribers, publishesResults }),
  );
}

/** Measures the least cost of sending. */
export async function runUndiciAlone(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const { certificates, subscribers } = backlog;
  const { authority } = environment.receiver;
  const setup = { certificates, subscribers, inFlight: requestsInFlight, authority, url: environment.receiver.url(0) };
  return runSender(environment, backlog, () => startSystem('undici-alone', setup satisfies UndiciSetup).system);
}

/** Measures kafkajs and undici in a loop. */
export async function runBareLoop(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const topic = await environment.topicOf(backlog.certificates, backlog.partitions);
  const { brokers, receiver } = environment;
  const to = { inFlight: requestsInFlight, authority: receiver.authority, url: receiver.url(0) };
  const loop = { brokers, topic, groupId: uniqueName('bench'), ...to };
  return runSender(environment, backlog, () => startSystem('bare-loop', loop satisfies BareLoopSetup).system);
}

/** Measures the least cost of reading. CPU seconds are per 10,000 records. */
export async function runKafkajsAlone(environment: BenchEnvironment, backlog: Backlog): Promise<Sample> {
  const { certificates, partitions, warmUp, measured } = backlog;
  const { brokers } = environment;
  const topic = await environment.topicOf(certificates, partitions);
  const milestones = [warmUp, warmUp + measured];
  const setup: KafkajsSetup = { brokers, topic, groupId: uniqueName('bench'), milestones };
  const { child, system } = startSystem('kafkajs-alone', setup);
  await using reader = system;
  const from = await checkpoint();
  await using _ = await environment.observing(reader, measured);
  return costBetween(from, await checkpoint());

  async function checkpoint(): Promise<Parameters<typeof costBetween>[0]> {
    const [{ records: requests, at }] = (await once(child, 'message')) as [RecordsRead];
    return { counts: { requests, at }, usage: usageOf(reader) };
  }
}

function startSystem(name: string, setup: object): ReturnType<typeof startPinned> {
  const program = new URL(`../systems/${name}-process.ts`, import.meta.url).pathname;
  return startPinned(program, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** Starts a system and measures it from the end of its warm-up to its last measured delivery. */
async function runSender(
  environment: BenchEnvironment,
  { warmUp, measured, answerAfterMs }: Backlog,
  start: () => Promise<RunningSystem> | RunningSystem,
): Promise<Sample> {
  const { receiver } = environment;
  await receiver.prepare({ answerAfterMs, milestones: [warmUp, warmUp + measured] });
  const [first, last] = [receiver.reached(0), receiver.reached(1)];
  // The receiver ends when the run fails, which is then the error to report.
  for (const milestone of [first, last]) milestone.catch(() => undefined);
  await using sender = await start();
  const from = { counts: await first, usage: usageOf(sender) };
  await using _ = await environment.observing(sender, measured);
  return sampleBetween(from, { counts: await last, usage: usageOf(sender) });
}
