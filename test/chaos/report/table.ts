import type { CheckResult } from '../checks/check-evidence.ts';

/** One row of the report. */
export interface FaultReport {
  /** The fault and how often it was injected. */
  readonly fault: string;
  readonly seed: number;
  readonly scale: 'short' | 'full';
  readonly durationMs: number;
  readonly result: CheckResult;
}

declare module 'vitest' {
  interface TaskMeta {
    /** The report of this test's fault. */
    chaos?: FaultReport;
  }
}

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
