import { setTimeout } from 'node:timers/promises';
import { watchStolenTime } from '../steal-time.ts';
import type { Arrival } from './receiver/messages.ts';
import type { Receiver } from './receiver/receiver.ts';
import type { Scale } from './scale.ts';
import { openStage, type StageParts } from './environment.ts';
import { certificatesWith, fine, type Trouble } from './fault.ts';

export interface ExperimentParts extends Omit<StageParts, 'endpoints' | 'trouble'> {
  readonly scale: Scale;
  /** What is wrong at first, and what once that is over. The load is that of both. */
  readonly before: Trouble;
  readonly trouble: Trouble;
  /** Whose deliveries are measured. */
  readonly isMeasured: (endpoint: number) => boolean;
}

/** One run's, of those that are measured. */
export interface Run {
  /** What was written at a steady pace. */
  readonly steady: readonly Arrival[];
  /** The part of the processors' time that the host took meanwhile. */
  readonly stolen: number;
  /** What was written at once. */
  readonly backlog: readonly Arrival[];
}

const longestWaitMs = 120_000;

/** From the start of the service: a steady load, during which one trouble goes and the other one comes, and then a backlog. */
export async function runExperiment(parts: ExperimentParts): Promise<Run> {
  const { scale, receiver, before, trouble, isMeasured } = parts;
  await using stage = await openStage({ ...parts, endpoints: scale.endpoints, trouble: before });
  const arrived = (written: readonly number[]): Promise<readonly Arrival[]> =>
    arrivedAt(receiver, isMeasured, written.filter(isMeasured).length);
  const steadyFor = async (ms: number): Promise<readonly Arrival[]> =>
    arrived(await stage.load.steady(scale.steadyPerSecond, ms));
  await steadyFor(scale.beforeMs);
  await receiver.behave(fine);
  await steadyFor(scale.recoveryMs);
  await receiver.behave(trouble);
  await steadyFor(scale.warmUpMs);
  const stolenSince = watchStolenTime();
  const steady = await steadyFor(scale.steadyMs);
  const stolen = stolenSince();
  const backlog = await stage.load.burst(certificatesWith(scale.backlog, trouble));
  return { steady, stolen, backlog: await arrived(backlog) };
}

/** Waits until these endpoints have so many. */
export async function arrivedAt(
  receiver: Receiver,
  isMeasured: (endpoint: number) => boolean,
  expected: number,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  const deadline = Date.now() + longestWaitMs;
  while (arrivals.length < expected) {
    if (Date.now() > deadline) throw new Error(`Only ${arrivals.length} of ${expected} have come.`);
    await setTimeout(200);
    arrivals.push(...(await receiver.collect()).filter(({ endpoint }) => isMeasured(endpoint)));
  }
  return arrivals;
}
