import { startEnvironment } from '../environment.ts';
import type { Scale } from '../scale.ts';
import { names, type Scenario } from '../scenarios/scenario.ts';
import type { Shares } from './parts.ts';
import { profiling, type Profiler } from './profiler.ts';

/** Runs the service once in each scenario, and returns its shares by the scenario's name. */
export async function runProfiled(
  scenarios: readonly Scenario[],
  {
    scale,
    profiler,
    print,
  }: { readonly scale: Scale; readonly profiler: Profiler; readonly print: (line: string) => void },
): Promise<ReadonlyMap<string, Shares>> {
  const shares = new Map<string, Shares>();
  for (const { name, systems, profiled = names.service } of scenarios) {
    const observer = profiling(profiler, (found) => void shares.set(name, found));
    await using environment = await startEnvironment(print, observer);
    await systems.find((system) => system.name === profiled)?.run(environment, scale);
  }
  return shares;
}
