import type { Result } from '../rounds.ts';
import { names } from '../scenario.ts';
import { spreadOf } from './figures.ts';

/** By scenario: the CPU of a delivery by the service, over that of one by undici alone. The machine cancels out. */
export type Ratios = Readonly<Record<string, number>>;

/** Of the baseline: a short run on a busy machine is not exact. */
const allowance = 1.25;

/** Of the scenarios in which both were measured. */
export function ratiosOf(results: readonly Result[]): Ratios {
  return Object.fromEntries(
    results.flatMap(({ scenario, samples }) => {
      const [service, limit] = [names.service, names.undici].map((name) => spreadOf(samples.get(name) ?? [], 'cpu'));
      return service === undefined || limit === undefined ? [] : [[scenario.name, service.median / limit.median]];
    }),
  );
}

/** Sentences; none when nothing has become dearer. What could not be checked is complained about as well. */
export function complaintsAbout(ratios: Ratios, { baseline }: { readonly baseline: Ratios }): readonly string[] {
  const measured = Object.entries(ratios);
  if (measured.length === 0) return ['Nothing was checked: no scenario has both the service and undici alone.'];
  return measured.flatMap(([scenario, ratio]) => complaintAbout(scenario, ratio, baseline[scenario]) ?? []);
}

function complaintAbout(scenario: string, ratio: number, before: number | undefined): string | undefined {
  if (before === undefined)
    return `${scenario} has no baseline: npm run bench -- --short --only ${scenario} --record writes it.`;
  if (ratio <= before * allowance) return undefined;
  return `${scenario}: a delivery takes ${ratio.toFixed(2)} times the CPU of undici alone. It was ${before.toFixed(2)} times, and up to ${(before * allowance).toFixed(2)} is allowed.`;
}
