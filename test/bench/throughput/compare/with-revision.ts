import { limits, type Contestant, type Scenario } from '../scenario.ts';

/** What a contestant is called that is of another state of the code. */
export function nameAt(name: string, ref: string): string {
  return `${name} at ${ref}`;
}

/** The scenarios with each contestant that is the service followed by the same one of another state. */
export function versus(
  scenarios: readonly Scenario[],
  { others, ref }: { readonly others: readonly Scenario[]; readonly ref: string },
): readonly Scenario[] {
  return scenarios.map((scenario) => {
    const rivals = others.find(({ name }) => name === scenario.name)?.contestants.filter(isService) ?? [];
    const contestants = scenario.contestants.flatMap((contestant) => {
      const rival = rivals.find(({ name }) => name === contestant.name);
      return rival === undefined ? [contestant] : [contestant, called(rival, nameAt(rival.name, ref))];
    });
    return { ...scenario, contestants };
  });
}

/** The limits are the same in every state. */
function isService({ name }: Contestant): boolean {
  return !limits.includes(name);
}

function called(contestant: Contestant, name: string): Contestant {
  return { ...contestant, name };
}
