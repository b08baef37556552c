import type { Result } from '../rounds.ts';
import { names } from '../scenarios/scenario.ts';
import { quantitySpread } from './figures.ts';

/** CPU per delivery of the service divided by that of undici alone, by scenario. The speed of the machine cancels out. */
export type Ratios = Readonly<Record<string, number>>;

/** The largest accepted ratio to the baseline. A short run on a busy machine varies by up to a quarter. */
const allowance = 1.25;

/** Returns the ratio for each scenario that has both systems. */
export function ratiosOf(results: readonly Result[]): Ratios {
  return Object.fromEntries(
    results.flatMap(({ scenario, samples }) => {
      const [service, limit] = [names.service, names.undici].map((name) =>
        quantitySpread(samples.get(name) ?? [], 'cpu'),
      );
      return service === undefined || limit === undefined ? [] : [[scenario.name, service.median / limit.median]];
    }),
  );
}

/** Returns a sentence for each ratio that is too high or can't be checked. */
export function complaintsAbout(ratios: Ratios, { baseline }: { readonly baseline: Ratios }): readonly string[] {
  const measured = Object.entries(ratios);
  if (measured.length === 0) return ['Nothing was checked: no scenario has both the service and undici alone.'];
  return measured.flatMap(([scenario, ratio]) => complaintAbout(scenario, ratio, baseline[scenario]) ?? []);
}

function complaintAbout(scenario: string, ratio: number, baseline: number | undefined): string | undefined {
  if (baseline === undefined)
    return `${scenario} has no baseline. Write it with: npm run bench -- --short --only ${scenario} --record`;
  if (ratio <= baseline * allowance) return undefined;
  return `${scenario}: a delivery takes ${ratio.toFixed(2)} times the CPU of undici alone. The baseline is ${baseline.toFixed(2)}, and at most ${(baseline * allowance).toFixed(2)} is allowed.`;
}
