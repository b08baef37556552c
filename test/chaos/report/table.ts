import type { FaultReport } from './fault-report.ts';
import type { Report } from './report.ts';

const columns = [
  'Fault',
  'Records',
  'Deliveries',
  'Missing',
  'Repeated',
  'Allowed',
  'Longest stall',
  'Lasted',
] as const;

/** Returns the report as a Markdown table, after a line with the date and the machine. */
export function tableOf({ date, cores, memoryGib, node, faults }: Report): string {
  const scales = [...new Set(faults.map(({ scale }) => scale))].join(', ');
  const seeds = [...new Set(faults.map(({ seed }) => seed))].join(', ');
  return [
    `Measured on ${date} with ${cores} cores and ${memoryGib} GiB for everything, brokers included; Node ${node}, scale ${scales}, seed ${seeds}.`,
    '',
    `| ${columns.join(' | ')} |`,
    `|${columns.map((_, index) => (index === 0 ? ' --- ' : ' ---: ')).join('|')}|`,
    ...faults.map((fault) => `| ${cells(fault).join(' | ')} |`),
  ].join('\n');
}

function cells({ fault, durationMs, result }: FaultReport): readonly string[] {
  return [
    result.violations.length === 0 ? fault : `**failed:** ${fault}`,
    String(result.records),
    String(result.deliveries),
    String(result.missing),
    String(result.repeated),
    String(result.allowedToRepeat),
    seconds(result.longestStallMs),
    seconds(durationMs),
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
