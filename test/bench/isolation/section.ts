import { row } from '../row.ts';
import { spreadText } from '../spread.ts';
import type { Figures } from './figures.ts';

/** Returns the section of the page in Markdown. */
export function sectionOf({ conditions, rounds, groups, burst }: Figures): string {
  const { date, cores, node } = conditions;
  return [
    `Measured on ${date} with Node.js ${node} on ${cores} cores, which the broker shares. Median (lowest … highest) of ${rounds} rounds; a ratio is the value with the fault divided by the value without. [All figures](performance/isolation.json).`,
    '',
    row(['Fault of others', 'p99 without, ms', 'p99 with, ms', 'p99, ratio', 'throughput, ratio']),
    row(['---', '---:', '---:', '---:', '---:']),
    ...groups.map(({ name, p99Ms, throughputRatio }) => {
      const [healthy, faulty] = [p99Ms.healthy, p99Ms.faulty].map(({ median }) => median.toFixed(1));
      return row([name, healthy ?? '', faulty ?? '', spreadText(p99Ms.ratio, 2), spreadText(throughputRatio, 2)]);
    }),
    '',
    row(["Latency of other owners during one owner's burst", 'ms']),
    row(['---', '---:']),
    row(['in other partitions: increase of the median', spreadText(burst.medianMs, 0)]),
    row(['in other partitions: increase of p99', spreadText(burst.p99Ms, 0)]),
    row(['in the partition of the burst: maximum', spreadText(burst.samePartitionMs, 0)]),
  ].join('\n');
}
