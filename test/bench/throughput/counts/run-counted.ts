import { row } from '../results/section.ts';
import { startEnvironment } from '../environment.ts';
import type { Scale } from '../scale.ts';
import { references, type Scenario } from '../scenarios/scenario.ts';
import type { Counts, Pass } from './passes.ts';

/** Counts per delivery, or per second of an idle system. */
interface CountedSystem {
  readonly scenario: string;
  readonly system: string;
  readonly counts: Counts;
}

/** The counts that do not depend on when something happens, while records wait in the topic. */
const checked = ['heapBytes', 'promises'];

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
    let pass: Pass | undefined;
    let counts: Counts = {};
    await using environment = await startEnvironment(print, async (observed) => {
      const end = await pass?.(observed);
      return async () => {
        const amounts = Object.entries((await end?.()) ?? {});
        const perUnit = amounts.map(([what, amount]) => [what, amount / observed.units] as const);
        counts = { ...counts, ...Object.fromEntries(perUnit) };
      };
    });
    for (const system of systems) {
      counts = {};
      for (pass of passes) await system.run(environment, scale);
      counted.push({ scenario, system: system.name, counts });
      print(`${scenario}, ${system.name}: ${JSON.stringify(counts)}`);
    }
  }
  return counted;
}

/** Returns the figures of our code that have a baseline. */
export function checkedCounts(systems: readonly CountedSystem[]): Readonly<Record<string, number>> {
  const ours = systems.filter(({ system }) => !references.includes(system));
  return Object.fromEntries(
    ours.flatMap(({ scenario, system, counts }) =>
      checked.map((what) => [`${scenario}, ${system}: ${what}`, counts[what] ?? Number.NaN]),
    ),
  );
}

/** Returns a Markdown table with a row for each system. */
export function describeCounts(systems: readonly CountedSystem[]): string {
  const columns = [...new Set(systems.flatMap(({ counts }) => Object.keys(counts)))];
  return [
    row(['per delivery, or per second when idle', ...columns]),
    row(['---', ...columns.map(() => '---:')]),
    ...systems.map(({ scenario, system, counts }) =>
      row([`${scenario}, ${system}`, ...columns.map((column) => textOf(counts[column]))]),
    ),
  ].join('\n');
}

function textOf(count: number | undefined): string {
  if (count === undefined) return '';
  return count >= 100 ? count.toFixed(0) : count.toFixed(3);
}
