import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';
import type { FaultReport } from './fault-report.ts';
import { reportOf, type Report } from './report.ts';
import { tableOf } from './table.ts';

/** Prints the table of faults after the last one. `CHAOS_REPORT` names a file that gets the report as JSON. */
export class ChaosReporter implements Reporter {
  readonly #faults: FaultReport[] = [];

  onTestCaseResult(testCase: TestCase): void {
    const { chaos } = testCase.meta();
    if (chaos === undefined) return;
    this.#faults.push(chaos);
    print([`${chaos.fault} (seed ${chaos.seed}, ${chaos.scale})`, JSON.stringify(chaos.result)].join('\n'));
  }

  onTestRunEnd(): void {
    if (this.#faults.length === 0) return;
    const report: Report = reportOf(this.#faults, new Date());
    print(tableOf(report));
    const file = process.env['CHAOS_REPORT'];
    if (file !== undefined && file !== '') writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  }
}

function print(text: string): void {
  process.stdout.write(`\n${text}\n`);
}
