import { startEnvironment } from '../environment.ts';
import type { Observer } from '../observer.ts';
import type { Scale } from '../scale.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Counts, Pass } from './passes.ts';

/** Counts per delivery, or per second of an idle system. */
export interface CountedSystem {
  readonly scenario: string;
  readonly system: string;
  readonly counts: Counts;
}

/** Runs each system of the scenarios once for each pass. */
export async function runCounted(
  scenarios: readonly Scenario[],
  {
    scale,
    passes,
    print,
  }: { readonly scale: Scale; readonly passes: readonly Pass[]; readonly print: (line: string) => void },
): Promise<readonly CountedSystem[]> {
  const counted: CountedSystem[] = [];
  for (const { name: scenario, systems } of scenarios) {
    const counting = new Counting();
    await using environment = await startEnvironment(print, counting);
    for (const system of systems) {
      for (const pass of passes) {
        counting.pass = pass;
        await system.run(environment, scale);
      }
      counted.push({ scenario, system: system.name, counts: counting.take() });
      print(`${scenario}, ${system.name}: ${JSON.stringify(counted.at(-1)?.counts)}`);
    }
  }
  return counted;
}

/** Adds up what the passes over one system count. */
class Counting implements Observer {
  pass: Pass | undefined;
  #counts: Counts = {};

  async begin(process: Parameters<Observer['begin']>[0]): Promise<() => Promise<void>> {
    const end = await this.pass?.(process);
    return async () => {
      const counts = Object.entries((await end?.()) ?? {});
      const perUnit = counts.map(([what, amount]) => [what, amount / process.units] as const);
      this.#counts = { ...this.#counts, ...Object.fromEntries(perUnit) };
    };
  }

  take(): Counts {
    const counts = this.#counts;
    this.#counts = {};
    return counts;
  }
}
