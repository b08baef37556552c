import { row } from '../results/section.ts';
import { startEnvironment } from '../environment.ts';
import { scale } from '../scale.ts';
import { names, references, type Scenario } from '../scenarios/scenario.ts';
import { passes, type Counts, type Pass } from './passes.ts';

/** Counts per delivery, or per second of an idle system. */
export interface CountedSystem {
  readonly scenario: Scenario;
  readonly system: string;
  readonly counts: Counts;
}

/** The counts that do not depend on when something happens, while records wait in the topic. */
const checked = ['heapBytes', 'promises'];

/** Runs each system of the scenarios that have units of work once for each pass. */
export async function runCounted(
  scenarios: readonly Scenario[],
  print: (line: string) => void,
): Promise<readonly CountedSystem[]> {
  const counted: CountedSystem[] = [];
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
  for (const scenario of scenarios.filter(({ hasUnits = true }) => hasUnits)) {
    for (const system of scenario.systems) {
      counts = {};
      for (pass of passes) await system.run(environment, scale);
      counted.push({ scenario, system: system.name, counts });
      print(`${scenario.name}, ${system.name}: ${JSON.stringify(counts)}`);
    }
  }
  return counted;
}

/** Returns the figures of our code that have a baseline. */
export function checkedCounts(systems: readonly CountedSystem[]): Readonly<Record<string, number>> {
  const ours = systems.filter(({ scenario, system }) => scenario.kind !== 'situation' && !references.includes(system));
  return Object.fromEntries(
    ours.flatMap(({ scenario, system, counts }) =>
      checked.map((what) => [`${scenario.name}, ${system}: ${what}`, counts[what] ?? Number.NaN]),
    ),
  );
}

/** Columns of the page in place of those that tell the same, or too much. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'heap bytes': ['heapBytes'],
  promises: ['promises'],
  timers: ['timers'],
  'timers that fire': ['timersFired'],
  fetches: ['Fetch'],
  'requests for ends': ['ListOffsets', 'Metadata'],
  commits: ['OffsetCommit'],
  writes: ['Produce'],
};

/** Returns a Markdown table with a row for each system. */
export function countsTable(systems: readonly CountedSystem[]): string {
  const columns = Object.keys(shown);
  return [
    row(['Per delivery, or per second when idle', ...columns]),
    row(['---', ...columns.map(() => '---:')]),
    ...systems.map(({ scenario, system, counts }) =>
      row([
        system === names.service ? scenario.title : `${scenario.title}: ${system}`,
        ...Object.values(shown).map((own) => textOf(own.reduce((sum, one) => sum + (counts[one] ?? 0), 0))),
      ]),
    ),
  ].join('\n');
}

function textOf(count: number): string {
  if (count === 0) return '';
  return count >= 100 ? count.toFixed(0) : count.toFixed(3);
}
