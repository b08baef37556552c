import { cpus, totalmem } from 'node:os';
import type { Result } from '../rounds.ts';
import type { Quantity, Sample } from '../sample.ts';
import { limits, names, type Medians, type ScenarioKind } from '../scenarios/scenario.ts';
import { kafkaVersion } from '../../../support/kafka/cluster/distribution.ts';

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

interface Column {
  readonly quantity: Quantity;
  readonly title: string;
  readonly unit?: string;
  /** Decimal places. */
  readonly digits: number;
}

/** The quantities in the order of tables. */
export const columns: readonly Column[] = [
  { quantity: 'cpu', title: 'CPU per 10,000', unit: 's', digits: 3 },
  { quantity: 'perSecond', title: 'per second', digits: 0 },
  { quantity: 'connections', title: 'connections per delivery', digits: 3 },
  { quantity: 'p50', title: 'p50', unit: 'ms', digits: 1 },
  { quantity: 'p99', title: 'p99', unit: 'ms', digits: 1 },
  { quantity: 'cores', title: 'cores', digits: 3 },
  { quantity: 'readyAfterS', title: 'ready after', unit: 's', digits: 1 },
  { quantity: 'startupLoopDelayMs', title: 'event loop delay until ready', unit: 'ms', digits: 0 },
  { quantity: 'loopDelayMs', title: 'event loop delay once ready', unit: 'ms', digits: 0 },
  { quantity: 'changeMs', title: 'a change in force after', unit: 'ms', digits: 0 },
  { quantity: 'residentMiB', title: 'resident memory', unit: 'MiB', digits: 0 },
  { quantity: 'peakMemoryMiB', title: 'peak memory', unit: 'MiB', digits: 0 },
  { quantity: 'receiverCores', title: "receiver's cores", digits: 2 },
];

/** The median of several numbers, with the lowest and the highest. */
interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Returns undefined for no numbers. The median of an even count is the upper one of the two in the middle. */
function spreadOf(numbers: readonly number[]): Spread | undefined {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [median, lowest, highest] = [Math.floor(sorted.length / 2), 0, -1].map((index) => sorted.at(index));
  if (median === undefined || lowest === undefined || highest === undefined) return undefined;
  return { median, lowest, highest };
}

function roundedSpread({ median, lowest, highest }: Spread, digits: number): Spread {
  return { median: rounded(median, digits), lowest: rounded(lowest, digits), highest: rounded(highest, digits) };
}

function rounded(number: number, digits: number): number {
  return Number(number.toFixed(digits));
}

/** The date, machine and versions of a run. */
interface Conditions {
  /** ISO 8601, without a time. */
  readonly date: string;
  /** Model name of the processor. */
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  /** Name and version. */
  readonly kafka: string;
}

export function readConditions(): Conditions {
  // The version of a cluster that was there before is unknown.
  const isExternal = (process.env['KAFKA_BROKERS'] ?? '') !== '';
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: cpus()[0]?.model.trim() ?? 'an unknown processor',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    kafka: isExternal ? 'an external Kafka cluster' : `Kafka ${kafkaVersion}`,
  };
}
