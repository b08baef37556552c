import type { Conditions } from '../../conditions.ts';
import { rounded, roundedSpread, spreadOf, type Spread } from '../../spread.ts';
import type { Result } from '../rounds.ts';
import type { Quantity, Sample } from '../sample.ts';
import { limits, names, type Medians, type ScenarioKind } from '../scenarios/scenario.ts';
import { columns } from './columns.ts';

/** The figures of a complete run, as `docs/performance/throughput.json` holds them. */
export interface Figures {
  readonly conditions: Conditions;
  readonly scenarios: readonly ScenarioFigures[];
}

export interface ScenarioFigures {
  readonly name: string;
  readonly kind: ScenarioKind;
  readonly title: string;
  readonly rounds: number;
  readonly systems: readonly SystemFigures[];
  readonly targets: readonly TargetFigures[];
}

export interface SystemFigures {
  readonly name: string;
  readonly isLimit: boolean;
  /** Measured quantities, rounded as their column shows them. */
  readonly quantities: Readonly<Partial<Record<Quantity, Spread>>>;
}

interface TargetFigures {
  readonly what: string;
  readonly atMost: number;
  /** The value with three decimal places, or null if it was not measured. */
  readonly value: number | null;
}

export function figuresOf({ scenario, samples }: Result): ScenarioFigures {
  const { name, kind, title, targets } = scenario;
  const median: Medians = (system, quantity) =>
    quantitySpread(samples.get(system) ?? [], quantity)?.median ?? Number.NaN;
  return {
    name,
    kind,
    title,
    rounds: Math.max(...[...samples.values()].map(({ length }) => length)),
    systems: [...samples].map(([system, own]) => systemFigures(system, own)),
    targets: targets.map((target) => {
      const { what, atMost } = target;
      const exact = target.value(median);
      return { what, atMost, value: Number.isNaN(exact) ? null : rounded(exact, 3) };
    }),
  };
}

/** Returns the CPU per delivery of the service relative to undici alone. The speed of the machine cancels out. */
export function ratiosOf(results: readonly Result[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    results.flatMap(({ scenario, samples }) => {
      const [service, limit] = [names.service, names.undici].map((name) =>
        quantitySpread(samples.get(name) ?? [], 'cpu'),
      );
      if (service === undefined || limit === undefined) return [];
      return [[`${scenario.name}: CPU relative to undici alone`, service.median / limit.median]];
    }),
  );
}

export function isMet({ value, atMost }: TargetFigures): boolean {
  return value !== null && value <= atMost;
}

/** Returns undefined if no sample has the quantity. */
function quantitySpread(samples: readonly Sample[], quantity: Quantity): Spread | undefined {
  return spreadOf(samples.flatMap((sample) => sample[quantity] ?? []));
}

function systemFigures(name: string, samples: readonly Sample[]): SystemFigures {
  const quantities = columns.flatMap(({ quantity, digits }) => {
    const spread = quantitySpread(samples, quantity);
    return spread === undefined ? [] : [[quantity, roundedSpread(spread, digits)] as const];
  });
  return { name, isLimit: limits.includes(name), quantities: Object.fromEntries(quantities) };
}
