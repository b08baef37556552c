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
    `During one owner's burst the latency of owners in other partitions increases by ${spreadText(burst.medianMs, 0)} ms in the median and by ${spreadText(burst.p99Ms, 0)} ms at p99. The slowest certificate in the burst's partition takes ${spreadText(burst.samePartitionMs, 0)} ms.`,
  ].join('\n');
}
