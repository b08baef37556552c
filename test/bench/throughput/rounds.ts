import type { BenchEnvironment } from './environment.ts';
import type { Sample } from './sample.ts';
import { scale } from './scale.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** The samples of all runs of a scenario. */
export interface Result {
  readonly scenario: Scenario;
  /** Samples by the name of the system. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
}

/** Measures each system once per round, because a machine may get slower or faster in the meantime. */
export async function runRounds(
  environment: BenchEnvironment,
  scenario: Scenario,
  print: (line: string) => void,
): Promise<Result> {
  const samples = new Map<string, Sample[]>(scenario.systems.map(({ name }) => [name, []]));
  const rounds = Math.min(scale.rounds, scenario.rounds ?? scale.rounds);
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates, so that no system is always the first.
    const ordered = round % 2 === 0 ? scenario.systems : scenario.systems.toReversed();
    for (const system of ordered) {
      const sample = await system.run(environment, scale);
      samples.get(system.name)?.push(sample);
      print(`${scenario.name}, ${system.name}: ${JSON.stringify(sample)}`);
    }
  }
  return { scenario, samples };
}
