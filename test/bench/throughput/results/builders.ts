import type { Result } from '../rounds.ts';
import type { Sample } from '../sample.ts';
import type { Scenario } from '../scenarios/scenario.ts';

/** Builds the result of a scenario for tests, from the samples of each system. */
export function aResult(
  samples: Readonly<Record<string, readonly Sample[]>>,
  scenario: Partial<Omit<Scenario, 'systems'>> = {},
): Result {
  const systems = Object.keys(samples).map((name) => ({ name, run: rejectRun }));
  return {
    scenario: { name: 'one-host', kind: 'limited', title: 'One host', targets: [], ...scenario, systems },
    samples: new Map(Object.entries(samples)),
  };
}

/** Builds a sample for each number of CPU seconds per 10,000 deliveries. */
export function cpu(...seconds: readonly number[]): readonly Sample[] {
  return seconds.map((one) => ({ cpu: one, peakMemoryMiB: 100 }));
}

function rejectRun(): Promise<never> {
  return Promise.reject(new Error('A system of a test can not run.'));
}
