import { setTimeout } from 'node:timers/promises';
import { watchStealTime } from '../steal-time.ts';
import { startEnvironment, type EnvironmentOptions } from './environment.ts';
import { certificatesWith, noFault, type Fault } from './fault.ts';
import type { Arrival } from './receiver/messages.ts';
import type { Receiver } from './receiver/receiver.ts';
import type { Scale } from './scale.ts';

interface ExperimentOptions extends Omit<EnvironmentOptions, 'endpoints' | 'fault'> {
  readonly scale: Scale;
  /** The fault during the first part, with the same load. */
  readonly earlierFault: Fault;
  readonly fault: Fault;
  readonly isMeasured: (endpoint: number) => boolean;
}

/** The deliveries of one run to the measured endpoints. */
export interface Run {
  /** Deliveries under the steady load. */
  readonly steady: readonly Arrival[];
  /** The share of the processors' time that the host took during the steady load. */
  readonly stealShare: number;
  readonly backlog: readonly Arrival[];
}

const longestWaitMs = 120_000;

/** Measures a fresh service during the fault: first under a steady load, then with a backlog. */
export async function runExperiment(options: ExperimentOptions): Promise<Run> {
  const { scale, receiver, earlierFault, fault, isMeasured } = options;
  await using environment = await startEnvironment({ ...options, endpoints: scale.endpoints, fault: earlierFault });
  const arrivalsOf = (written: readonly number[]): Promise<readonly Arrival[]> =>
    waitForArrivals(receiver, isMeasured, written.filter(isMeasured).length);
  const steadyFor = async (ms: number): Promise<readonly Arrival[]> =>
    arrivalsOf(await environment.load.steady(scale.steadyPerSecond, ms));
  await steadyFor(scale.earlierFaultMs);
  await receiver.setFault(noFault);
  await steadyFor(scale.recoveryMs);
  await receiver.setFault(fault);
  await steadyFor(scale.warmUpMs);
  const stealSince = watchStealTime();
  const steady = await steadyFor(scale.steadyMs);
  const stealShare = stealSince();
  const backlog = await environment.load.burst(certificatesWith(scale.backlog, fault));
  return { steady, stealShare, backlog: await arrivalsOf(backlog) };
}

/** Waits until the measured endpoints have received this many requests. */
export async function waitForArrivals(
  receiver: Receiver,
  isMeasured: (endpoint: number) => boolean,
  expected: number,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  const deadline = Date.now() + longestWaitMs;
  while (arrivals.length < expected) {
    if (Date.now() > deadline) throw new Error(`Only ${arrivals.length} of ${expected} requests have arrived.`);
    await setTimeout(200);
    arrivals.push(...(await receiver.collect()).filter(({ endpoint }) => isMeasured(endpoint)));
  }
  return arrivals;
}
