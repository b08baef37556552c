import type { Sample } from './sample.ts';
import type { Scale } from './scale.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './environment.ts';

/** What all runs of a scenario came to. */
export interface Result {
  readonly scenario: Scenario;
  /** By contestant. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
}

/** Contestants take turns, round after round: a machine may get slower, or faster, as time goes by. */
export async function runRounds(
  scenario: Scenario,
  stage: Stage,
  scale: Scale,
  say: (line: string) => void,
): Promise<Result> {
  const samples = new Map<string, Sample[]>(scenario.contestants.map(({ name }) => [name, []]));
  const rounds = Math.min(scale.rounds, scenario.rounds ?? scale.rounds);
  for (let round = 0; round < rounds; round += 1) {
    // Neither is always the first.
    const inTurn = round % 2 === 0 ? scenario.contestants : scenario.contestants.toReversed();
    for (const contestant of inTurn) {
      const sample = await contestant.run(stage, scale);
      samples.get(contestant.name)?.push(sample);
      say(`${scenario.name}, ${contestant.name}: ${JSON.stringify(sample)}`);
    }
  }
  return { scenario, samples };
}
