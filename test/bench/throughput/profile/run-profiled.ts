import type { RunningKafka } from '../../../support/kafka/start-kafka.ts';
import type { Scale } from '../scale.ts';
import { names, type Scenario } from '../scenario.ts';
import { openStage } from '../stage.ts';
import { sharesOf, type Shares } from './parts.ts';

/** Runs the service once in each scenario, under a profiler, and tells by scenario what took its time. */
export async function runProfiled(
  scenarios: readonly Scenario[],
  kafka: RunningKafka,
  scale: Scale,
): Promise<ReadonlyMap<string, Shares>> {
  const shares = new Map<string, Shares>();
  for (const { name, contestants } of scenarios) {
    const profiled = (profile: Parameters<typeof sharesOf>[0]): void => void shares.set(name, sharesOf(profile));
    await using stage = await openStage(kafka, profiled);
    await contestants.find((contestant) => contestant.name === names.service)?.run(stage, scale);
  }
  return shares;
}
