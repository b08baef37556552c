import { startEnvironment } from '../environment.ts';
import type { Scale } from '../scale.ts';
import { names, type Scenario } from '../scenarios/scenario.ts';
import { sharesOf, type CpuProfile, type Shares } from './parts.ts';

/** Runs the service once in each scenario, and returns the shares of its busy time by the scenario's name. */
export async function runProfiled(
  scenarios: readonly Scenario[],
  scale: Scale,
  print: (line: string) => void,
): Promise<ReadonlyMap<string, Shares>> {
  const shares = new Map<string, Shares>();
  for (const { name, systems, profiled = names.service } of scenarios) {
    const onProfile = (profile: CpuProfile): void => void shares.set(name, sharesOf(profile));
    await using environment = await startEnvironment(print, onProfile);
    await systems.find((system) => system.name === profiled)?.run(environment, scale);
  }
  return shares;
}
