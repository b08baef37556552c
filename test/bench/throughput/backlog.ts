import { uniqueName } from '../../support/kafka/topics.ts';
import type { Crowd } from './certificates.ts';
import { startBareResumption } from './systems/resumption-alone.ts';
import { startKafkajsAlone } from './systems/kafkajs-alone.ts';
import type { Running } from '../running-system.ts';
import { startUndiciAlone } from './systems/undici-alone.ts';
import { startServiceFor } from './service-setup.ts';
import { profiling } from './profile/profiling.ts';
import { usageOf } from './process-usage.ts';
import { costBetween, sampleBetween, type Sample } from './sample.ts';
import type { Stage } from './environment.ts';
import type { Subscribers } from './subscribers.ts';

/** Certificates that wait in a topic, and to whom they go. */
export interface Backlog {
  readonly crowd: Crowd;
  readonly partitions: number;
  readonly subscribers: Subscribers;
  readonly answerAfterMs: number;
  /** Deliveries before the measured ones. */
  readonly warmUp: number;
  readonly measured: number;
}

/** Of the limits. */
const requestsAtOnce = 256;
const bareEndpoints = 5000;

/** How the service gets through it, from a program that may be of another state of the code. */
export async function runService(stage: Stage, backlog: Backlog, program: string): Promise<Sample> {
  const { crowd, partitions, subscribers } = backlog;
  const topic = await stage.topicOf(crowd, partitions);
  return posted(stage, backlog, () => startServiceFor(stage, { topic, partitions, subscribers }, program));
}

/** The limit of sending. */
export async function runUndiciAlone(stage: Stage, backlog: Backlog): Promise<Sample> {
  const { crowd, subscribers } = backlog;
  const { authority } = stage.receiver;
  const setup = { crowd, subscribers, inFlight: requestsAtOnce, authority, url: stage.receiver.url(0) };
  return posted(stage, backlog, () => Promise.resolve(startUndiciAlone(setup)));
}

/** The limit of sending over connections that are made anew; of as many endpoints as show what one costs. */
export async function runBareResumption(stage: Stage, backlog: Backlog): Promise<Sample> {
  const { authority } = stage.receiver;
  const endpoints = Math.min(backlog.crowd.owners, bareEndpoints);
  const setup = { endpoints, inFlight: requestsAtOnce, authority, url: stage.receiver.url(0) };
  const resumed = { ...backlog, warmUp: endpoints, measured: Math.floor(endpoints * 0.9) };
  return posted(stage, resumed, () => Promise.resolve(startBareResumption(setup)));
}

/** The limit of reading: CPU seconds are per 10,000 records. */
export async function runKafkajsAlone(stage: Stage, backlog: Backlog): Promise<Sample> {
  const { crowd, partitions, warmUp, measured } = backlog;
  const topic = await stage.topicOf(crowd, partitions);
  const milestones = [warmUp, warmUp + measured];
  await using reader = startKafkajsAlone({ brokers: stage.brokers, topic, groupId: uniqueName('bench'), milestones });
  const [from, to] = [await moment(), await moment()];
  return costBetween(from, to);

  async function moment(): Promise<Parameters<typeof costBetween>[0]> {
    const { records: requests, at } = await reader.reached();
    return { counts: { requests, at }, usage: usageOf(reader) };
  }
}

/** What a sender comes to that is started for this backlog. */
export async function posted(
  stage: Stage,
  { warmUp, measured, answerAfterMs }: Backlog,
  start: () => Promise<Running>,
): Promise<Sample> {
  const { receiver } = stage;
  await receiver.prepare({ answerAfterMs, milestones: [warmUp, warmUp + measured] });
  const [first, last] = [receiver.reached(0), receiver.reached(1)];
  await using sender = await start();
  const from = { counts: await first, usage: usageOf(sender) };
  await using _ = await profiling(stage, sender);
  return sampleBetween(from, { counts: await last, usage: usageOf(sender) });
}
