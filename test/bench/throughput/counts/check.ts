import { readFileSync, writeFileSync } from 'node:fs';
import { references } from '../scenarios/scenario.ts';
import type { CountedSystem } from './run-counted.ts';

/** Counts of the service by scenario and system. */
export type CountsBaseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Counts that two runs have in common while records wait in the topic. The others depend on when something happens. */
const checked = ['heapBytes', 'promises'];
const allowance = 1.05;
const file = new URL('baseline.json', import.meta.url);

export function readCountsBaseline(): CountsBaseline {
  return JSON.parse(readFileSync(file, 'utf8')) as CountsBaseline;
}

export function recordCountsBaseline(systems: readonly CountedSystem[]): void {
  const counted = ofService(systems).map(({ scenario, system, counts }) => {
    const rounded = checked.map((what) => [what, Number((counts[what] ?? Number.NaN).toPrecision(4))]);
    return [`${scenario}, ${system}`, Object.fromEntries(rounded)];
  });
  const baseline: CountsBaseline = { ...readCountsBaseline(), ...Object.fromEntries(counted) };
  writeFileSync(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** Returns a sentence for each count that exceeds its baseline by more than 5 %, or can't be checked. */
export function complaintsAboutCounts(
  systems: readonly CountedSystem[],
  { baseline }: { readonly baseline: CountsBaseline },
): readonly string[] {
  const complaints = ofService(systems).flatMap(({ scenario, system, counts }) =>
    checked.flatMap((what) => {
      const name = `${scenario}, ${system}`;
      const [count = Number.NaN, expected] = [counts[what], baseline[name]?.[what]];
      if (expected === undefined)
        return `${name} has no baseline for ${what}. Write it with: npm run bench -- --short --count --only ${scenario} --record`;
      const most = expected * allowance;
      return count <= most
        ? []
        : `${name}: ${count.toPrecision(4)} ${what} per delivery. The baseline is ${expected}, and at most ${most.toPrecision(4)} is allowed.`;
    }),
  );
  return ofService(systems).length === 0 ? ['Nothing was checked: no system is our code.'] : complaints;
}

function ofService(systems: readonly CountedSystem[]): readonly CountedSystem[] {
  return systems.filter(({ system }) => !references.includes(system));
}
