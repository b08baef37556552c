import { references, type Scenario, type System } from '../scenarios/scenario.ts';

/** Returns the name of a system in another revision. */
export function nameAt(name: string, ref: string): string {
  return `${name} at ${ref}`;
}

/** Adds to each scenario the service of another revision, right after the service of this one. */
export function withRevision(
  scenarios: readonly Scenario[],
  { others, ref }: { readonly others: readonly Scenario[]; readonly ref: string },
): readonly Scenario[] {
  return scenarios.map((scenario) => {
    const candidates = others.find(({ name }) => name === scenario.name)?.systems.filter(isService) ?? [];
    const systems = scenario.systems.flatMap((system) => {
      const other = candidates.find(({ name }) => name === system.name);
      return other === undefined ? [system] : [system, renamed(other, nameAt(other.name, ref))];
    });
    return { ...scenario, systems };
  });
}

/** Returns false for references, which are the same in every revision. */
function isService({ name }: System): boolean {
  return !references.includes(name);
}

function renamed(system: System, name: string): System {
  return { ...system, name };
}
