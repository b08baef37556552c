import { fork } from 'node:child_process';
import { once } from 'node:events';
import { quantile } from '../quantile.ts';
import type { BurstSetup } from './burst-process.ts';
import { startEnvironment, type EnvironmentOptions } from './environment.ts';
import { waitForArrivals } from './experiment.ts';
import { noFault } from './fault.ts';
import { latenciesOf } from './measurement.ts';
import { sharesFirstPartition } from './partitions.ts';
import type { Arrival } from './receiver/messages.ts';

/** The cost of one owner's burst for single certificates of other owners. */
export interface BurstMeasurement {
  /** Increase of the median and of p99 in other partitions, compared with the time before the burst. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The highest latency in the partition of the burst. */
  readonly samePartitionMs: number;
}

export interface Burst {
  readonly certificates: number;
  readonly singlesPerSecond: number;
  readonly warmUpMs: number;
  /** For this long single certificates are measured before the burst, and while it is delivered. */
  readonly beforeMs: number;
  readonly duringMs: number;
}

/**
 * Sends a burst to the first endpoint, in the first partition, and single certificates to all others. The second part of
 * the measurement begins once the burst is written. Until then its writer and the broker need the processors.
 */
export async function runBurst(
  options: Omit<EnvironmentOptions, 'fault'>,
  { certificates: count, singlesPerSecond, warmUpMs, beforeMs, duringMs }: Burst,
): Promise<BurstMeasurement> {
  const { receiver, brokers } = options;
  await using environment = await startEnvironment({ ...options, fault: noFault });
  const { load, topic } = environment;
  const singles = async (forMs: number): Promise<readonly Arrival[]> => {
    const written = await load.steady(singlesPerSecond, forMs);
    return waitForArrivals(receiver, isSingle, written.filter(isSingle).length);
  };
  await singles(warmUpMs);
  const before = await singles(beforeMs);
  await writeBurst({ brokers, topic, count });
  const during = await singles(duringMs);
  const [quiet, busy] = [before, during].map((arrivals) => latenciesOf(arrivals.filter(isInOtherPartition)));
  const increase = (part: number): number => quantile(busy ?? [], part) - quantile(quiet ?? [], part);
  const samePartition = latenciesOf(during.filter((arrival) => !isInOtherPartition(arrival)));
  return { medianMs: increase(0.5), p99Ms: increase(0.99), samePartitionMs: Math.max(...samePartition) };
}

function isSingle(endpoint: number): boolean {
  return endpoint !== 0;
}

function isInOtherPartition({ endpoint }: Arrival): boolean {
  return !sharesFirstPartition(endpoint);
}

async function writeBurst(setup: BurstSetup): Promise<void> {
  const child = fork(new URL('burst-process.ts', import.meta.url).pathname, [JSON.stringify(setup)]);
  await once(child, 'exit');
}
