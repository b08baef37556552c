import { FairWindow, type DeliveryCursor, type WindowCounts } from './window.ts';
import type { Amounts, HeldAmounts } from './held-amounts.ts';
import type { FlowLimits } from './limits.ts';
import type { PauseReason } from './pause-reason.ts';
import type { Starter } from './turns.ts';

/** The counts of one partition. Its records and its window change them. */
interface PartitionCounts extends WindowCounts {
  /** Starts the deliveries of a planned record, each as soon as it may. */
  readonly start: (deliveries: DeliveryCursor) => void;
  records: number;
  bytes: number;
  /** The time for which the record admitted last is held before its deliveries start. */
  newestHoldMs: number;
}

interface PartitionFlowOptions {
  readonly limits: FlowLimits;
  /** Amounts of all partitions. */
  readonly amounts: HeldAmounts;
  /** Called when it has something to start, or when a start that was stopped may succeed now. */
  readonly start: (partition: PartitionFlow) => void;
  /** Called when the shared limits stop a start. */
  readonly stopped: () => void;
  /** Called when it holds less than before. Others may read or start then. */
  readonly released: () => void;
}

/**
 * Counts what one partition holds, and decides whether it may read on and start deliveries. Lasts for one assignment.
 *
 *     held ──▶ planned: in a cursor ──▶ started ──▶ ended
 *     └───────── `RecordRun` ────────┘  └─ `DeliveryRun` ─┘
 *
 * `Admission` creates records and asks `pausedBy`. The pipeline adds a cursor for each planned record. Each started delivery
 * counts what it occupies here, in the window of its owner.
 *
 * Promises:
 * - Active deliveries stay within the window, so a backlog does not overflow the waiting rooms of healthy endpoints.
 * - What waits for a sick endpoint leaves the window, so it stops no other one. It counts against the shared limits. Retries
 *   leave it only while they need no endpoint. `occupation` is the table.
 * - Reading goes on while some records wait for their start. The certificates of other owners in the same partition are
 *   thus found, and start in turn.
 * - A cursor holds no delivery that is not started, so a record for 10,000 webhooks needs no more memory than another.
 */
export class PartitionFlow implements Starter {
  readonly #options: PartitionFlowOptions;
  readonly #window: FairWindow;
  readonly counts: PartitionCounts;
  #isOpen = true;

  constructor(options: PartitionFlowOptions) {
    this.#options = options;
    const { amounts, limits } = options;
    this.counts = {
      amounts,
      occupation: limits.occupation,
      released: () => this.#released(),
      start: (deliveries) => this.#add(deliveries),
      records: 0,
      bytes: 0,
      deliveries: 0,
      newestHoldMs: 0,
    };
    this.#window = new FairWindow(this.counts);
  }

  /**
   * Returns why nothing more may be read, or undefined. `span` is the distance of the commit to the newest record. If
   * records wait for their start, the reason is what stops that.
   */
  pausedBy(span: number): PauseReason | undefined {
    if (span >= this.#options.limits.maxSpan) return 'span';
    if (this.#isUsedUp('pending', this.#window.pendingRecords)) return this.#stoppedBy ?? 'turn';
    if (this.#isUsedUp('records', this.counts.records)) return this.#stoppedBy ?? 'records';
    if (this.#isUsedUp('bytes', this.counts.bytes)) return this.#stoppedBy ?? 'bytes';
    return undefined;
  }

  startNext(): boolean {
    const { pendingRecords } = this.#window;
    if (pendingRecords === 0) return false;
    if (this.#isShareUsedUp) {
      this.#options.stopped();
      return false;
    }
    const hasStarted = this.#window.startNext();
    if (this.#window.pendingRecords < pendingRecords) this.#options.released();
    return hasStarted;
  }

  /**
   * Abandons the cursors that have not begun. What is left of the others is still started, because their records would
   * otherwise be read again and repeat what has been delivered.
   */
  drain(): void {
    this.#isOpen = false;
    for (const cursor of this.#window.removeCursors('not begun')) cursor.abandon();
  }

  /** Abandons everything that is not started, and what is planned later. */
  abandon(): void {
    this.#isOpen = false;
    for (const cursor of this.#window.removeCursors('all')) cursor.abandon();
  }

  get #stoppedBy(): PauseReason | undefined {
    if (this.#window.pendingRecords === 0) return undefined;
    if (this.#isShareUsedUp) return 'deliveries';
    if (!this.#window.isStopped) return undefined;
    return this.#window.outside > 0 ? 'waiting_room' : 'window';
  }

  get #isShareUsedUp(): boolean {
    return this.#options.amounts.isUsedUp('deliveries', this.counts.deliveries);
  }

  #isUsedUp(amount: keyof Amounts, own: number): boolean {
    return this.#options.amounts.isUsedUp(amount, own, this.counts.newestHoldMs);
  }

  #add(cursor: DeliveryCursor): void {
    if (!this.#isOpen) return cursor.abandon();
    this.#window.add(cursor);
    this.#options.start(this);
  }

  #released(): void {
    if (this.#window.pendingRecords > 0) this.#options.start(this);
    this.#options.released();
  }
}

/**
 * One record from its admission to its end, as flow control sees it. Its subclass in the consumer settles it.
 *
 * Its deliveries wait in a cursor of the partition's window. Each delivery that starts is a `DeliveryRun`.
 */
export class RecordRun {
  readonly #counts: PartitionCounts;
  readonly #bytes: number;
  /** `held` until its deliveries are known, `planned` until all have ended. It occupies a record and its bytes until then. */
  #state: 'held' | 'planned' | 'ended' = 'held';

  constructor({ counts }: { readonly counts: PartitionCounts }, bytes: number) {
    this.#counts = counts;
    this.#bytes = bytes;
    counts.newestHoldMs = 0;
    this.#count(1);
  }

  /** Notes that the record is held for this time before its deliveries start. */
  noteHold(ms: number): void {
    this.#counts.newestHoldMs = ms;
  }

  /** Starts the deliveries, each as soon as it may. */
  start(deliveries: DeliveryCursor): void {
    if (this.#state !== 'held') throw new Error(`the deliveries of a record start that is ${this.#state}`);
    this.#state = 'planned';
    this.#counts.start(deliveries);
  }

  /** Must be called once, when the record is settled or abandoned. */
  release(): void {
    if (this.#state === 'ended') throw new Error('a record ends that has ended');
    this.#state = 'ended';
    this.#count(-1);
    this.#counts.released();
  }

  #count(change: 1 | -1): void {
    const counts = this.#counts;
    const bytes = change * this.#bytes;
    counts.records += change;
    counts.bytes += bytes;
    counts.amounts.add({ records: change, bytes });
  }
}
