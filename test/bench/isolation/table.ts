import type { BurstMeasured } from './burst.ts';

/** What one comparison came to: a ratio for each round, with the trouble over without it. */
export interface Compared {
  readonly name: string;
  readonly p99: readonly number[];
  readonly throughput: readonly number[];
}

export interface Results {
  readonly compared: readonly Compared[];
  readonly bursts: readonly BurstMeasured[];
}

/** Markdown: medians, with the lowest and the highest of the rounds. */
export function describe({ compared, bursts }: Results): string {
  const ms = (of: (burst: BurstMeasured) => number): string => spread(bursts.map(of), 0);
  return [
    '| Trouble | p99 of the others, ratio | throughput of the others, ratio |',
    '| --- | ---: | ---: |',
    ...compared.map(({ name, p99, throughput }) => `| ${name} | ${spread(p99, 2)} | ${spread(throughput, 2)} |`),
    '',
    '| Of a burst, for single certificates of others | ms |',
    '| --- | ---: |',
    `| in other partitions, later in the median by | ${ms(({ medianMs }) => medianMs)} |`,
    `| in other partitions, later at p99 by | ${ms(({ p99Ms }) => p99Ms)} |`,
    `| in its own partition, the latest after | ${ms(({ behindItMs }) => behindItMs)} |`,
  ].join('\n');
}

function spread(numbers: readonly number[], digits: number): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [median, least, most] = [Math.floor(sorted.length / 2), 0, -1].map((at) => sorted.at(at)?.toFixed(digits));
  return `${median} (${least} … ${most})`;
}
