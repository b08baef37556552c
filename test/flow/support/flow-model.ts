import { FlowControl } from '../../../src/flow/flow-control.ts';
import type { Amounts } from '../../../src/flow/held-amounts.ts';
import type { FlowLimits } from '../../../src/flow/limits.ts';
import { RecordRun, type PartitionFlow } from '../../../src/flow/partition.ts';
import type { PauseReason } from '../../../src/flow/pause-reason.ts';
import type { StartTurns } from '../../../src/flow/turns.ts';
import type { OwnerPart } from '../../../src/flow/delivery-run.ts';
import type { DeliveryCursor } from '../../../src/flow/window.ts';
import { StartedDelivery } from './scripted-cursor.ts';

/** The thing that a delivery waits for from its start on. */
export type OnStart = 'endpoint' | 'suspect' | 'paced' | 'outside';

/** One delivery that has started and has not ended. */
export class ModelDelivery {
  isActive = true;
  isOutside = false;
  readonly record: ModelRecord;
  readonly #progress: StartedDelivery;

  constructor(record: ModelRecord, progress: StartedDelivery) {
    this.record = record;
    this.#progress = progress;
  }

  markWaiting(): void {
    if (this.#isShared) return;
    this.isActive = false;
    this.#progress.leaveWindow();
  }

  markIdle(): void {
    if (!this.#isShared) return;
    this.isActive = false;
    this.#progress.leaveWindow();
  }

  get #isShared(): boolean {
    return this.record.partition.group.limits.sharedEqually;
  }

  markOutside(isOutside: boolean): void {
    this.isOutside = isOutside;
    this.#progress.markOutsideRoom(isOutside);
  }

  end(): void {
    this.record.deliveries.delete(this);
    this.#progress.end();
  }
}

interface RecordOptions {
  readonly ownerId: string;
  readonly bytes: number;
  /** The time for which the record is held before its deliveries start. */
  readonly holdMs: number;
}

/** One record, counted in the plainest way. Fails if its deliveries start when they must not. */
export class ModelRecord implements DeliveryCursor {
  readonly partition: ModelPartition;
  readonly #held: RecordRun;
  readonly bytes: number;
  readonly deliveries = new Set<ModelDelivery>();
  readonly ownerId: string;
  isPlanned = false;
  isAbandoned = false;
  started = 0;
  size = 0;
  #onStart: readonly OnStart[] = [];

  constructor(partition: ModelPartition, { ownerId, bytes, holdMs }: RecordOptions) {
    this.partition = partition;
    this.ownerId = ownerId;
    this.bytes = bytes;
    this.#held = new RecordRun(partition.flow, bytes);
    if (holdMs > 0) this.#held.noteHold(holdMs);
    partition.newestHoldMs = holdMs;
  }

  get hasNext(): boolean {
    return !this.isAbandoned && this.started < this.size;
  }

  plan(size: number, onStart: readonly OnStart[]): void {
    this.isPlanned = true;
    this.size = size;
    this.#onStart = onStart;
    this.partition.cursors.push(this);
    this.#held.start(this);
  }

  release(): void {
    this.partition.records.delete(this);
    this.#held.release();
  }

  startNext(owner: OwnerPart): void {
    const { partition } = this;
    if (!this.hasNext) throw new Error('a delivery starts that does not exist');
    const first = partition.unstarted.find(({ ownerId }) => ownerId === this.ownerId);
    if (first !== this) throw new Error('a delivery starts before those of an earlier record');
    if (!partition.mayStart(this.ownerId)) throw new Error('a delivery starts that must wait');
    partition.group.countStart();
    const delivery = new ModelDelivery(this, new StartedDelivery(owner));
    this.deliveries.add(delivery);
    const on = this.#onStart[this.started % this.#onStart.length];
    this.started += 1;
    if (on === 'suspect') delivery.markWaiting();
    if (on === 'paced') delivery.markIdle();
    if (on === 'outside') delivery.markOutside(true);
  }

  abandon(): void {
    if (this.isAbandoned) throw new Error('a record is abandoned twice');
    this.isAbandoned = true;
  }
}

/** One partition of one assignment. Its answers are computed from its records each time. */
export class ModelPartition {
  readonly group: ModelGroup;
  readonly flow: PartitionFlow;
  readonly records = new Set<ModelRecord>();
  /** The planned records in the order of their plans. */
  readonly cursors: ModelRecord[] = [];
  newestHoldMs = 0;
  readonly window: number;

  constructor(group: ModelGroup, partitions: number) {
    const { sharedEqually, window } = group.limits;
    this.group = group;
    this.window = sharedEqually ? Math.max(1, Math.floor(window / partitions)) : window;
    this.flow = group.flow.openPartition();
  }

  get unstarted(): readonly ModelRecord[] {
    return this.cursors.filter((record) => record.hasNext);
  }

  get deliveries(): readonly ModelDelivery[] {
    return this.records
      .values()
      .flatMap(({ deliveries }) => deliveries)
      .toArray();
  }

  get active(): number {
    return this.deliveries.filter((delivery) => delivery.isActive).length;
  }

  /** Returns whether a delivery of this owner may start, if there is a turn for it. */
  mayStart(ownerId: string): boolean {
    const own = this.deliveries.filter(({ record }) => record.ownerId === ownerId);
    if (own.some((delivery) => delivery.isOutside)) return false;
    if (this.#isUsedUp('deliveries', this.deliveries.length)) return false;
    return own.filter((delivery) => delivery.isActive).length < this.window - this.active;
  }

  get hasManyUnstarted(): boolean {
    return this.#isUsedUp('pending', this.unstarted.length);
  }

  /** The reason for which nothing may be read, after all turns in which something starts. */
  get pausedBy(): PauseReason | undefined {
    if (this.hasManyUnstarted) return this.#stoppedBy ?? 'turn';
    if (this.#isUsedUp('records', this.records.size)) return this.#stoppedBy ?? 'records';
    const bytes = [...this.records].reduce((sum, record) => sum + record.bytes, 0);
    return this.#isUsedUp('bytes', bytes) ? (this.#stoppedBy ?? 'bytes') : undefined;
  }

  get #stoppedBy(): PauseReason | undefined {
    if (this.unstarted.length === 0) return undefined;
    if (this.#isUsedUp('deliveries', this.deliveries.length)) return 'deliveries';
    if (this.unstarted.some(({ ownerId }) => this.mayStart(ownerId))) return undefined;
    return this.deliveries.some((delivery) => delivery.isOutside) ? 'waiting_room' : 'window';
  }

  #isUsedUp(amount: keyof Amounts, own: number): boolean {
    const { limits, held, partitions } = this.group;
    const { maxRecords, maxPending, maxDeliveries, maxBytes } = limits;
    const limit = { records: maxRecords, pending: maxPending, deliveries: maxDeliveries, bytes: maxBytes }[amount];
    const left = limit - held[amount];
    if (!limits.sharedEqually) return own >= left;
    if (own === 0 || left <= 0) return own > 0;
    // A retry that is started is not held any more.
    const isShort = amount === 'deliveries' || this.newestHoldMs <= limits.shortHoldMs;
    const isWithinOtherHalf = isShort && own + limit / 2 < left;
    return own >= 2 && own * 2 * partitions.length >= limit && !isWithinOtherHalf;
  }
}

/** One group: its flow control, and the partitions of all its assignments. */
export class ModelGroup {
  readonly limits: FlowLimits;
  readonly flow: FlowControl;
  readonly countStart: () => void;
  /** The partitions of earlier assignments. */
  earlier: readonly ModelPartition[] = [];
  partitions: readonly ModelPartition[] = [];
  readonly #paused = new Set<ModelPartition>();

  constructor(limits: FlowLimits, turns: StartTurns, countStart: () => void) {
    this.limits = limits;
    this.flow = new FlowControl(limits, turns);
    this.countStart = countStart;
  }

  get all(): readonly ModelPartition[] {
    return [...this.earlier, ...this.partitions];
  }

  get held(): Amounts {
    const records = this.all.flatMap((partition) => [...partition.records]);
    return {
      records: records.length,
      pending: this.all.reduce((sum, partition) => sum + partition.unstarted.length, 0),
      deliveries: records.reduce((sum, record) => sum + record.deliveries.size, 0),
      bytes: records.reduce((sum, record) => sum + record.bytes, 0),
    };
  }

  /** The partitions that were paused when they were read, and have not resumed. */
  get paused(): readonly ModelPartition[] {
    return this.partitions.filter((partition) => this.#paused.has(partition));
  }

  begin(partitions: number): void {
    const unstarted = this.all.flatMap((partition) => partition.unstarted);
    this.earlier = this.all;
    this.partitions = [];
    this.flow.begin(partitions);
    this.partitions = Array.from({ length: partitions }, () => new ModelPartition(this, partitions));
    if (unstarted.some((record) => !record.isAbandoned)) throw new Error('a revoked record goes on');
  }

  drain(): void {
    const unstarted = this.partitions.flatMap((partition) => partition.unstarted);
    this.flow.drain();
    const wrong = unstarted.filter((record) => record.isAbandoned !== (record.started === 0));
    if (wrong.length > 0) throw new Error('the drain abandons the records that have not begun, and no other');
  }

  /** Reads one record of the partition, unless it is paused. */
  read(partition: ModelPartition, options: RecordOptions): void {
    if (partition.flow.pausedBy(0) === undefined) partition.records.add(new ModelRecord(partition, options));
    else this.#pause(partition);
  }

  /** Releases the records that are done, as `Admission` does. */
  releaseDone(): void {
    for (const { records } of this.all) {
      for (const record of records) {
        if (record.isPlanned && !record.hasNext && record.deliveries.size === 0) record.release();
      }
    }
  }

  #pause(partition: ModelPartition): void {
    // Starts alone are not told. The end of one of the started deliveries is.
    if (partition.hasManyUnstarted) this.#paused.delete(partition);
    else this.#paused.add(partition);
    this.flow.onceReleased(() => this.#resume());
  }

  #resume(): void {
    for (const partition of this.paused) {
      if (partition.flow.pausedBy(0) === undefined) this.#paused.delete(partition);
      else this.#pause(partition);
    }
  }
}
