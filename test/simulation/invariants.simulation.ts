import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { generateScenario } from './scenario/generate-scenario.ts';
import { runScenario } from './run-scenario.ts';

const first = Number(process.env['SIMULATION_SEED'] ?? 1);
const runs = Number(process.env['SIMULATION_RUNS'] ?? 2000);

describe('the service on a memory broker', () => {
  it('does the same in two runs of one seed', { timeout: 600_000 }, async () => {
    const [one, other] = [await runScenario(generateScenario(first)), await runScenario(generateScenario(first))];
    expect(JSON.stringify(one.entries)).toBe(JSON.stringify(other.entries));
  });

  it(`keeps every invariant in ${runs} runs from seed ${first} on`, { timeout: 30_000 + runs * 10_000 }, async () => {
    const step = Math.min(availableParallelism(), runs);
    const processes = Array.from({ length: step }, (_, index) =>
      runSeedsInProcess([first + index, first + runs, step]),
    );
    const reports = await Promise.all(processes);
    expect(reports.join('')).toBe('');
  });
});

/** Runs the seeds in a process of their own, because one run uses one core. Resolves to the reports of failures. */
async function runSeedsInProcess(seeds: readonly number[]): Promise<string> {
  const script = join(import.meta.dirname, 'run-seeds.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...seeds.map(String)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
