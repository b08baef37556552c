import { availableParallelism, totalmem } from 'node:os';
import type { Reporter, TestCase } from 'vitest/node';
import { writeSection } from '../../../docs/generate/section.ts';
import { tableOf, type FaultReport } from './table.ts';

/** Prints the table of faults after the last one. `CHAOS_PAGE` names a page that gets it between its marks. */
export class ChaosReporter implements Reporter {
  readonly #faults: FaultReport[] = [];

  onTestCaseResult(testCase: TestCase): void {
    const { chaos } = testCase.meta();
    if (chaos === undefined) return;
    this.#faults.push(chaos);
    print([`${chaos.fault} (seed ${chaos.seed}, ${chaos.scale})`, JSON.stringify(chaos.result)].join('\n'));
  }

  async onTestRunEnd(): Promise<void> {
    if (this.#faults.length === 0) return;
    const text = `${introduction(this.#faults)}\n\n${tableOf(this.#faults)}`;
    print(text);
    const page = process.env['CHAOS_PAGE'] ?? '';
    if (page !== '') await writeSection(page, { name: 'chaos', text });
  }
}

function introduction(faults: readonly FaultReport[]): string {
  const distinct = (values: readonly (string | number)[]): string => [...new Set(values)].join(', ');
  const machine = `${availableParallelism()} cores and ${Math.round(totalmem() / 2 ** 30)} GiB for everything, brokers included`;
  const run = `scale ${distinct(faults.map(({ scale }) => scale))}, seed ${distinct(faults.map(({ seed }) => seed))}`;
  return `Measured on ${new Date().toISOString().slice(0, 10)} with ${machine}; Node ${process.version}, ${run}.`;
}

function print(text: string): void {
  process.stdout.write(`\n${text}\n`);
}
