import type { BenchEnvironment } from '../environment.ts';
import type { Quantity, Sample } from '../sample.ts';
import type { Scale } from '../scale.ts';

export const names = {
  service: 'the service',
  undici: 'undici alone',
  kafkajs: 'kafkajs alone',
  bareLoop: 'a bare loop',
} as const;

/** Systems that do only what no service can leave out. */
export const limits: readonly string[] = [names.undici, names.kafkajs];

/** Systems that are not our code. */
export const references: readonly string[] = [...limits, names.bareLoop];

/** One kind of work, and the systems that do it. */
export interface Scenario {
  /** The name for `--only`. */
  readonly name: string;
  readonly kind: ScenarioKind;
  readonly title: string;
  /** The largest number of rounds, for scenarios that take long. */
  readonly rounds?: number;
  /** False if nothing is delivered and nothing lasts, so that counts mean nothing. True when left out. */
  readonly hasUnits?: boolean;
  readonly systems: readonly System[];
  readonly targets: readonly Target[];
}

/** Chooses the table of the page: relative to limits, relative to the first system, or by itself. */
export type ScenarioKind = 'limited' | 'variation' | 'situation';

export interface System {
  readonly name: string;
  run(environment: BenchEnvironment, scale: Scale): Promise<Sample>;
}

/** An upper limit for a value that is calculated from medians. */
interface Target {
  /** The name in the table. */
  readonly what: string;
  readonly atMost: number;
  value(median: Medians): number;
}

/** Returns the median of a quantity over all runs of a system. NaN if it was not measured. */
export type Medians = (system: string, quantity: Quantity) => number;
