import type { Scale } from '../scale.ts';
import { names, type Scenario } from '../scenario.ts';
import { openStage } from '../environment.ts';
import { sharesOf, type CpuProfile, type Shares } from './parts.ts';

/** Runs the service once in each scenario, under a profiler, and tells by scenario what took its time. */
export async function runProfiled(
  scenarios: readonly Scenario[],
  scale: Scale,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, Shares>> {
  const shares = new Map<string, Shares>();
  for (const { name, contestants, profiled: whom = names.service } of scenarios) {
    const profiled = (profile: CpuProfile): void => void shares.set(name, sharesOf(profile));
    await using stage = await openStage(say, profiled);
    await contestants.find((contestant) => contestant.name === whom)?.run(stage, scale);
  }
  return shares;
}
