import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BurstSetup } from './burst-process.ts';
import { quantile } from '../quantile.ts';
import { arrivedAt } from './experiment.ts';
import { latenciesOf } from './measurement.ts';
import { isWithFirst } from './partitions.ts';
import type { Arrival } from './receiver/messages.ts';
import { openStage, type StageParts } from './environment.ts';
import { fine } from './fault.ts';

/** What one owner's burst costs the single certificates of others. */
export interface BurstMeasured {
  /** How much later they arrive while it goes on than before, in other partitions. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** How late the latest arrives in its own partition. */
  readonly behindItMs: number;
}

export interface Burst {
  readonly certificates: number;
  readonly singlesPerSecond: number;
  readonly warmUpMs: number;
  /** How long the singles are measured before the burst, and while it is worked off. */
  readonly beforeMs: number;
  readonly duringMs: number;
}

/**
 * The burst goes to the first endpoint, in the first partition; singles go to all others, before it and with it. They are
 * measured from when it is written: its writer, and the broker that takes it, need the same processors.
 */
export async function runBurst(parts: Omit<StageParts, 'trouble'>, burst: Burst): Promise<BurstMeasured> {
  const { receiver, brokers } = parts;
  const { certificates: count, singlesPerSecond, warmUpMs, beforeMs, duringMs } = burst;
  await using stage = await openStage({ ...parts, trouble: fine });
  const { load, topic } = stage;
  const singles = async (forMs: number): Promise<readonly Arrival[]> => {
    const written = await load.steady(singlesPerSecond, forMs);
    return arrivedAt(receiver, isSingle, written.filter(isSingle).length);
  };
  await singles(warmUpMs);
  const before = await singles(beforeMs);
  await writeBurst({ brokers, topic, count });
  const during = await singles(duringMs);
  const [quiet, busy] = [before, during].map((arrivals) => latenciesOf(arrivals.filter(isElsewhere)));
  const laterBy = (part: number): number => quantile(busy ?? [], part) - quantile(quiet ?? [], part);
  const behind = latenciesOf(during.filter((arrival) => !isElsewhere(arrival)));
  return { medianMs: laterBy(0.5), p99Ms: laterBy(0.99), behindItMs: Math.max(...behind) };
}

function isSingle(endpoint: number): boolean {
  return endpoint !== 0;
}

function isElsewhere({ endpoint }: Arrival): boolean {
  return !isWithFirst(endpoint);
}

async function writeBurst(setup: BurstSetup): Promise<void> {
  const child = fork(new URL('burst-process.ts', import.meta.url).pathname, [JSON.stringify(setup)]);
  await once(child, 'exit');
}
