import type { Amounts } from '../../../src/flow/held-amounts.ts';
import { maxStartsPerTurn, type FlowLimits } from '../../../src/flow/limits.ts';
import { occupation } from '../../../src/flow/occupation.ts';
import { StartTurns } from '../../../src/flow/turns.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import { ModelGroup, type ModelDelivery, type ModelRecord, type OnStart } from './flow-model.ts';
import { TurnClock } from './turn-clock.ts';

/** A step of the property. A number chooses among what exists at that time, modulo its count. */
export type Step =
  | {
      readonly kind: 'hold';
      readonly pool: Pool;
      readonly partition: number;
      readonly ownerId: string;
      readonly bytes: number;
      /** The time for which a retry is held. */
      readonly holdMs: number;
    }
  | { readonly kind: 'plan'; readonly which: number; readonly size: number; readonly onStart: readonly OnStart[] }
  | { readonly kind: 'drop' | 'wait' | 'leave' | 'outside' | 'inside'; readonly which: number }
  | { readonly kind: 'end'; readonly which: number; readonly count: number }
  | { readonly kind: 'turn' | 'settle' }
  | { readonly kind: 'drain'; readonly pool: Pool }
  | { readonly kind: 'begin'; readonly pool: Pool; readonly partitions: number };

type PoolLimits = Omit<FlowLimits, 'sharedEqually' | 'shortHoldMs' | 'occupation'>;

export const shortHoldMs = 100;

/** The flow control of both groups, and a model of each. Every method fails where they disagree. */
export class FlowWorld {
  readonly #clock = new TurnClock();
  readonly #groups: Readonly<Record<Pool, ModelGroup>>;
  #starts = 0;

  constructor({ first, retry }: Readonly<Record<Pool, PoolLimits>>) {
    const turns = new StartTurns(maxStartsPerTurn, this.#clock);
    const countStart = (): void => {
      this.#starts += 1;
      if (this.#starts > maxStartsPerTurn) throw new Error('too many deliveries start in one turn');
    };
    const retries = { ...retry, sharedEqually: true, shortHoldMs, occupation };
    this.#groups = {
      first: new ModelGroup({ ...first, sharedEqually: false, shortHoldMs, occupation }, turns, countStart),
      retry: new ModelGroup(retries, turns, countStart),
    };
    for (const group of this.#all) group.begin(3);
  }

  run(step: Step): void {
    this.#do(step);
    for (const group of this.#all) group.releaseDone();
    this.#check();
  }

  /** Ends everything, and runs turns in between, until nothing is left. Returns what is held then. */
  endAll(): readonly Amounts[] {
    for (const record of this.#unplanned) record.release();
    this.#settle();
    for (let deliveries = this.#deliveries; deliveries.length > 0; deliveries = this.#deliveries) {
      for (const delivery of deliveries) delivery.end();
      for (const group of this.#all) group.releaseDone();
      this.#settle();
    }
    return this.#all.map(({ flow, all }) => {
      const isUnstarted = all.some((partition) => partition.unstarted.length > 0);
      if (isUnstarted) throw new Error('a record is neither started nor abandoned');
      return flow.held;
    });
  }

  #do(step: Step): void {
    switch (step.kind) {
      case 'hold': {
        const group = this.#groups[step.pool];
        const partition = pick(group.partitions, step.partition);
        if (partition !== undefined) group.read(partition, step);
        return;
      }
      case 'plan':
        return this.#plan(step.which, step.size, step.onStart);
      case 'drop':
        return pick(this.#unplanned, step.which)?.release();
      case 'turn':
        return void this.#turn();
      case 'settle':
        return this.#settle();
      case 'drain':
        return this.#groups[step.pool].drain();
      case 'begin':
        return this.#groups[step.pool].begin(step.partitions);
      case 'end':
        for (let count = 0; count < step.count; count += 1) pick(this.#deliveries, step.which)?.end();
        return;
      case 'wait':
        return pick(this.#deliveries, step.which)?.markWaiting();
      case 'leave':
        return pick(this.#deliveries, step.which)?.markIdle();
      // A delivery to a suspect endpoint does not wait outside its room.
      case 'outside':
        return pick(
          this.#deliveries.filter((delivery) => delivery.isActive),
          step.which,
        )?.markOutside(true);
      case 'inside':
        return pick(
          this.#deliveries.filter((delivery) => delivery.isOutside),
          step.which,
        )?.markOutside(false);
    }
  }

  /** Plans a record. One of a revoked assignment is abandoned instead, as the pipeline does. */
  #plan(which: number, size: number, onStart: readonly OnStart[]): void {
    const record = pick(this.#unplanned, which);
    if (record === undefined) return;
    if (record.partition.group.partitions.includes(record.partition)) record.plan(size, onStart);
    else record.release();
  }

  #turn(): boolean {
    this.#starts = 0;
    return this.#clock.turn();
  }

  /** Runs turns until nothing waits for one. Then everything that may start has started. */
  #settle(): void {
    while (this.#turn()) for (const group of this.#all) group.releaseDone();
    for (const { all, paused } of this.#all) {
      for (const partition of all) {
        const isLeft = partition.unstarted.some(({ ownerId }) => partition.mayStart(ownerId));
        if (isLeft) throw new Error('a delivery that may start does not');
        const [reason, expected] = [partition.flow.pausedBy(0), partition.pausedBy];
        if (reason !== expected) throw new Error(`paused by ${reason} and not by ${expected}`);
      }
      if (paused.some(({ pausedBy }) => pausedBy === undefined)) throw new Error('a partition is not resumed');
    }
  }

  #check(): void {
    for (const { flow, held, limits, all, partitions } of this.#all) {
      const { records, deliveries, bytes } = flow.held;
      const agree = records === held.records && deliveries === held.deliveries && bytes === held.bytes;
      if (!agree) throw new Error('the held amounts are not those of the partitions');
      // With equal shares, each partition that holds nothing gets one.
      const most = limits.maxDeliveries + (limits.sharedEqually ? all.length : 0);
      if (deliveries > most) throw new Error('too many deliveries are held');
      if (partitions.some(({ active, window }) => active > window)) throw new Error('the window is exceeded');
    }
  }

  get #all(): readonly ModelGroup[] {
    return [this.#groups.first, this.#groups.retry];
  }

  /** The records that are being planned. Some of them never become deliveries. */
  get #unplanned(): readonly ModelRecord[] {
    const records = this.#all.flatMap(({ all }) => all.flatMap((partition) => [...partition.records]));
    return records.filter((record) => !record.isPlanned);
  }

  get #deliveries(): readonly ModelDelivery[] {
    return this.#all.flatMap(({ all }) => all.flatMap((partition) => partition.deliveries));
  }
}

function pick<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % items.length];
}
