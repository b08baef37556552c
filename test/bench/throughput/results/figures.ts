import type { Result } from '../rounds.ts';
import type { Medians, Target } from '../scenario.ts';
import type { Quantity, Sample } from '../sample.ts';

/** The median with the lowest and the highest. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Undefined when that was not measured. */
export function spreadOf(samples: readonly Sample[], quantity: Quantity): Spread | undefined {
  const sorted = samples.flatMap((sample) => sample[quantity] ?? []).toSorted((one, other) => one - other);
  const [median, least, most] = [Math.floor(sorted.length / 2), 0, -1].map((at) => sorted.at(at));
  return median === undefined || least === undefined || most === undefined ? undefined : { median, least, most };
}

export interface Reached {
  readonly target: Target;
  readonly value: number;
}

/** What the targets came to. */
export function reachedOf({ scenario, samples }: Result): readonly Reached[] {
  const medians: Medians = (contestant, quantity) =>
    spreadOf(samples.get(contestant) ?? [], quantity)?.median ?? Number.NaN;
  return scenario.targets.map((target) => ({ target, value: target.value(medians) }));
}

/** Nothing that could not be measured is met. */
export function isMet({ target, value }: Reached): boolean {
  return value <= target.atMost;
}
