import type { Quantity, Sample } from './sample.ts';
import type { Scale } from './scale.ts';
import type { Stage } from './environment.ts';

export const names = {
  service: 'the service',
  undici: 'undici alone',
  kafkajs: 'kafkajs alone',
  bare: 'bare resumption',
} as const;

/** What the service is held against: nothing of them is ours. */
export const limits: readonly string[] = [names.undici, names.kafkajs, names.bare];

/** One situation, and who is measured in it. */
export interface Scenario {
  /** For the command line. */
  readonly name: string;
  readonly title: string;
  /** At most, where one takes long. */
  readonly rounds?: number;
  readonly contestants: readonly Contestant[];
  /** The contestant that a profile is taken of; the service when left out. */
  readonly profiled?: string;
  readonly targets: readonly Target[];
}

export interface Contestant {
  readonly name: string;
  run(stage: Stage, scale: Scale): Promise<Sample>;
}

/** What is wanted of the medians. */
export interface Target {
  /** In words, as a table says it. */
  readonly what: string;
  readonly atMost: number;
  value(of: Medians): number;
}

/** The median of a quantity over all runs of a contestant. */
export type Medians = (contestant: string, quantity: Quantity) => number;
