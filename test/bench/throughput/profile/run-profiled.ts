import { startEnvironment } from '../environment.ts';
import type { Scale } from '../scale.ts';
import { names, type Scenario } from '../scenarios/scenario.ts';
import type { Shares } from './parts.ts';
import { profiling, type Profiler } from './profiler.ts';

/** Runs the service, or its last variation, once in each scenario. Returns its shares by the scenario's name. */
export async function runProfiled(
  scenarios: readonly Scenario[],
  {
    scale,
    profiler,
    print,
  }: { readonly scale: Scale; readonly profiler: Profiler; readonly print: (line: string) => void },
): Promise<ReadonlyMap<string, Shares>> {
  const shares = new Map<string, Shares>();
  for (const { name, systems } of scenarios) {
    const observer = profiling(profiler, (found) => void shares.set(name, found));
    await using environment = await startEnvironment(print, observer);
    await (systems.find((system) => system.name === names.service) ?? systems.at(-1))?.run(environment, scale);
  }
  return shares;
}
