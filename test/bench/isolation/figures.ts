import type { Conditions } from '../conditions.ts';
import { roundedSpread, spreadOf, type Spread } from '../spread.ts';
import type { BurstMeasurement } from './burst.ts';
import type { Measurement } from './measurement.ts';

/** The same load without the fault and with it, in one round. */
export interface MeasuredPair {
  readonly healthy: Measurement;
  readonly faulty: Measurement;
}

/** A pair for each round, of the endpoints in one group. */
export interface GroupResult {
  readonly name: string;
  readonly pairs: readonly MeasuredPair[];
}

export interface Results {
  readonly groups: readonly GroupResult[];
  readonly bursts: readonly BurstMeasurement[];
}

/** The figures of a complete run, as `docs/performance/isolation.json` holds them. */
export interface Figures {
  readonly conditions: Pick<Conditions, 'date' | 'cores' | 'node'>;
  readonly rounds: number;
  readonly groups: readonly GroupFigures[];
  readonly burst: Readonly<Record<keyof BurstMeasurement, Spread>>;
}

interface GroupFigures {
  readonly name: string;
  readonly p99Ms: Compared;
  readonly requestP99Ms: Compared;
  /** The throughput of the backlog with the fault, divided by that without. */
  readonly throughputRatio: Spread;
  readonly stealPercent: Omit<Compared, 'ratio'>;
}

/** One quantity over all rounds. The ratio is faulty divided by healthy, of the same round. */
interface Compared {
  readonly healthy: Spread;
  readonly faulty: Spread;
  readonly ratio: Spread;
}

export function figuresOf({ groups, bursts }: Results, conditions: Figures['conditions']): Figures {
  const burst = (quantity: keyof BurstMeasurement): Spread =>
    spread(
      bursts.map((one) => one[quantity]),
      0,
    );
  return {
    conditions,
    rounds: bursts.length,
    groups: groups.map(groupFigures),
    burst: { medianMs: burst('medianMs'), p99Ms: burst('p99Ms'), samePartitionMs: burst('samePartitionMs') },
  };
}

function groupFigures({ name, pairs }: GroupResult): GroupFigures {
  const values = (variant: keyof MeasuredPair, quantity: keyof Measurement): readonly number[] =>
    pairs.map((pair) => pair[variant][quantity]);
  const ratio = (quantity: keyof Measurement): Spread =>
    spread(
      pairs.map(({ healthy, faulty }) => faulty[quantity] / healthy[quantity]),
      2,
    );
  const compared = (quantity: keyof Measurement): Compared => ({
    healthy: spread(values('healthy', quantity), 1),
    faulty: spread(values('faulty', quantity), 1),
    ratio: ratio(quantity),
  });
  const stealPercent = (variant: keyof MeasuredPair): Spread =>
    spread(
      values(variant, 'stealShare').map((share) => share * 100),
      1,
    );
  return {
    name,
    p99Ms: compared('p99Ms'),
    requestP99Ms: compared('requestP99Ms'),
    throughputRatio: ratio('perSecond'),
    stealPercent: { healthy: stealPercent('healthy'), faulty: stealPercent('faulty') },
  };
}

function spread(numbers: readonly number[], digits: number): Spread {
  const exact = spreadOf(numbers);
  if (exact === undefined) throw new Error('There was no round.');
  return roundedSpread(exact, digits);
}
