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

/** The report as a Markdown table, with where and when in front. */
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

function cells({ fault, durationMs, verdict }: FaultReport): readonly string[] {
  return [
    verdict.violations.length === 0 ? fault : `**failed:** ${fault}`,
    String(verdict.records),
    String(verdict.deliveries),
    String(verdict.missing),
    String(verdict.repeated),
    String(verdict.allowedToRepeat),
    seconds(verdict.longestStallMs),
    seconds(durationMs),
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
