import type { BurstMeasured } from './burst.ts';
import type { Measured } from './measurement.ts';

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
    '| Trouble, ratios for the others | p99 | p99 to the request alone | throughput |',
    '| --- | ---: | ---: | ---: |',
    ...compared.map(({ name, pairs }) => {
      const ratio = (of: (measured: Measured) => number): string =>
        spread(
          pairs.map(({ having, without }) => of(having) / of(without)),
          2,
        );
      const p99 = ratio(({ p99Ms }) => p99Ms);
      const untilRequest = ratio(({ untilRequestP99Ms }) => untilRequestP99Ms);
      return `| ${name} | ${p99} | ${untilRequest} | ${ratio(({ perSecond }) => perSecond)} |`;
    }),
  ];
}

function circumstances(compared: readonly Compared[]): readonly string[] {
  const row = (name: string, measured: readonly Measured[]): string => {
    const p99 = measured.map(({ p99Ms }) => p99Ms);
    const untilRequest = measured.map(({ untilRequestP99Ms }) => untilRequestP99Ms);
    const taken = measured.map(({ stolen }) => stolen * 100);
    return `| ${name} | ${spread(p99, 1)} | ${spread(untilRequest, 1)} | ${spread(taken, 1)} |`;
  };
  return [
    '| Measured | p99, ms | to the request alone, ms | time that the host took, % |',
    '| --- | ---: | ---: | ---: |',
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
