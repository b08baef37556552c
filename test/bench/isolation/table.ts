import type { BurstMeasured } from './burst.ts';
import type { Measured } from './measured.ts';

/** The same load without the trouble and with it, in one round. */
export interface MeasuredPair {
  readonly without: Measured;
  readonly having: Measured;
}

/** What one comparison came to: a pair for each round. */
export interface Compared {
  readonly name: string;
  readonly pairs: readonly MeasuredPair[];
}

export interface Results {
  readonly compared: readonly Compared[];
  readonly bursts: readonly BurstMeasured[];
}

/** Markdown: medians, with the lowest and the highest of the rounds. */
export function describe({ compared, bursts }: Results): string {
  return [...ratios(compared), '', ...circumstances(compared), '', ...ofBursts(bursts)].join('\n');
}

/** With the trouble over without it. */
function ratios(compared: readonly Compared[]): readonly string[] {
  return [
    '| Trouble | p99 of the others, ratio | throughput of the others, ratio |',
    '| --- | ---: | ---: |',
    ...compared.map(({ name, pairs }) => {
      const p99 = pairs.map(({ having, without }) => having.p99Ms / without.p99Ms);
      const throughput = pairs.map(({ having, without }) => having.perSecond / without.perSecond);
      return `| ${name} | ${spread(p99, 2)} | ${spread(throughput, 2)} |`;
    }),
  ];
}

function circumstances(compared: readonly Compared[]): readonly string[] {
  const row = (name: string, measured: readonly Measured[]): string => {
    const p99 = measured.map(({ p99Ms }) => p99Ms);
    const taken = measured.map(({ stolen }) => stolen * 100);
    return `| ${name} | ${spread(p99, 0)} | ${spread(taken, 1)} |`;
  };
  return [
    '| Measured | p99, ms | time that the host took, % |',
    '| --- | ---: | ---: |',
    ...compared.flatMap(({ name, pairs }) => [
      row(
        `without: ${name}`,
        pairs.map(({ without }) => without),
      ),
      row(
        `with: ${name}`,
        pairs.map(({ having }) => having),
      ),
    ]),
  ];
}

function ofBursts(bursts: readonly BurstMeasured[]): readonly string[] {
  const ms = (of: (burst: BurstMeasured) => number): string => spread(bursts.map(of), 0);
  return [
    '| Of a burst, for single certificates of others | ms |',
    '| --- | ---: |',
    `| in other partitions, later in the median by | ${ms(({ medianMs }) => medianMs)} |`,
    `| in other partitions, later at p99 by | ${ms(({ p99Ms }) => p99Ms)} |`,
    `| in its own partition, the latest after | ${ms(({ behindItMs }) => behindItMs)} |`,
  ];
}

function spread(numbers: readonly number[], digits: number): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [median, least, most] = [Math.floor(sorted.length / 2), 0, -1].map((at) => sorted.at(at)?.toFixed(digits));
  return `${median} (${least} … ${most})`;
}
