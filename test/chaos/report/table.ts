import type { FaultReport } from './fault-report.ts';

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

/** Returns the faults as a Markdown table. */
export function tableOf(faults: readonly FaultReport[]): string {
  return [
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
