import type { Result } from '../rounds.ts';
import type { Sample } from '../sample.ts';
import type { Scenario } from '../scenario.ts';

/** A scenario as if it had been run: what each contestant came to. For tests. */
export function aResult(
  samples: Readonly<Record<string, readonly Sample[]>>,
  scenario: Partial<Omit<Scenario, 'contestants'>> = {},
): Result {
  const contestants = Object.keys(samples).map((name) => ({ name, run: neverRun }));
  return {
    scenario: { name: 'one-host', title: 'A backlog to one host', targets: [], ...scenario, contestants },
    samples: new Map(Object.entries(samples)),
  };
}

/** A sample for each of these CPU seconds per 10,000 deliveries. */
export function cpu(...seconds: readonly number[]): readonly Sample[] {
  return seconds.map((one) => ({ cpu: one, peakMemoryMiB: 100 }));
}

function neverRun(): Promise<never> {
  return Promise.reject(new Error('Nobody runs what is made up.'));
}
