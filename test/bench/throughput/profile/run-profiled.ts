import { startEnvironment } from '../environment.ts';
import type { Scale } from '../scale.ts';
import { names, type Scenario } from '../scenarios/scenario.ts';
import { sharesOf, type Shares } from './parts.ts';
import { profiler } from './profiler.ts';

/** Runs the service once in each scenario, and returns the shares of its busy time by the scenario's name. */
export async function runProfiled(
  scenarios: readonly Scenario[],
  scale: Scale,
  print: (line: string) => void,
): Promise<ReadonlyMap<string, Shares>> {
  const shares = new Map<string, Shares>();
  for (const { name, systems, profiled = names.service } of scenarios) {
    const observer = profiler((profile) => void shares.set(name, sharesOf(profile)));
    await using environment = await startEnvironment(print, observer);
    await systems.find((system) => system.name === profiled)?.run(environment, scale);
  }
  return shares;
}
