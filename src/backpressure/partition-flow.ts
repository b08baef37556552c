import type { DeliveryCursor } from '../deliveries/delivery-cursor.ts';
import { Queue } from '../lib/queue.ts';
import type { HeldAmounts } from './held-amounts.ts';
import type { FlowLimits } from './limits.ts';
import { HeldRecord, StartedDelivery, type PartitionCounts } from './partition-counts.ts';
import type { PauseReason } from './pause-reason.ts';
import type { Starter } from './start-turns.ts';

interface PartitionFlowOptions {
  readonly limits: FlowLimits;
  /** Amounts of all partitions. */
  readonly amounts: HeldAmounts;
  /** Returns false during the drain: then no cursor begins. */
  readonly isOpen: () => boolean;
  /** Called when it has something to start, or when a start that was stopped may succeed now. */
  readonly start: (partition: PartitionFlow) => void;
  /** Called when the shared limits stop a start. */
  readonly stopped: () => void;
  /** Called when it holds less than before. Others may read or start then. */
  readonly eased: () => void;
}

/**
 * Counts what one partition holds, and decides whether it may read on and start deliveries. Lasts for one assignment.
 *
 *     hold ──▶ being planned ──▶ in a cursor ──▶ started ──▶ waiting ──▶ ended
 *
 * | a delivery is | meaning                                                                            | active |
 * | ------------- | ---------------------------------------------------------------------------------- | ------ |
 * | being planned | the record's webhooks are not looked up yet; the record counts as one              | yes    |
 * | in a cursor   | not started: the window is full, or an earlier delivery comes first                | no     |
 * | started       | waits for capacity of a healthy endpoint, or has been out for less than a second   | yes    |
 * | waiting       | waits for a suspect endpoint, or is on its way to a tier or to the dead letters    | no     |
 *
 * `Admission` holds and releases records and asks `pausedBy`. The pipeline adds a cursor for each planned record. The
 * gates and the pipeline mark started deliveries as waiting.
 *
 * Promises:
 * - Deliveries start in the order in which their records were planned. Only the first cursor starts any.
 * - Active deliveries stay within the window. A backlog then waits in Kafka, and not in the waiting rooms.
 * - Waiting deliveries leave the window, so a sick endpoint stops no other one. They count against the shared limits.
 * - Nothing starts while a delivery waits outside the full waiting room of a healthy endpoint. Otherwise several
 *   partitions together would overflow it.
 * - A cursor holds no delivery that is not started, so a record for 10,000 webhooks needs no more memory than another.
 */
export class PartitionFlow implements Starter {
  readonly #options: PartitionFlowOptions;
  readonly #cursors = new Queue<DeliveryCursor>();
  readonly #counts: PartitionCounts;
  /** True once the first cursor has started a delivery. */
  #hasBegun = false;

  constructor(options: PartitionFlowOptions) {
    this.#options = options;
    const { amounts } = options;
    const eased = (): void => this.#eased();
    const start = (deliveries: DeliveryCursor): void => this.#add(deliveries);
    this.#counts = { amounts, eased, start, records: 0, bytes: 0, deliveries: 0, active: 0, outsideRooms: 0 };
  }

  /** Returns why nothing more may be read, or undefined. `span` is the distance of the commit to the newest record. */
  pausedBy(span: number): PauseReason | undefined {
    const { limits, amounts } = this.#options;
    const stopped = this.#stoppedBy;
    if (stopped !== undefined) return stopped;
    // Later records would wait for these cursors.
    if (this.#cursors.length > 0) return 'turn';
    if (span >= limits.maxSpan) return 'span';
    if (amounts.isUsedUp('records', this.#counts.records)) return 'records';
    return amounts.isUsedUp('bytes', this.#counts.bytes) ? 'bytes' : undefined;
  }

  /** Counts an admitted record until its release. */
  hold(bytes: number): HeldRecord {
    return new HeldRecord(this.#counts, bytes);
  }

  startNext(): boolean {
    const cursor = this.#firstCursor;
    if (cursor === undefined) return false;
    const stopped = this.#stoppedBy;
    if (stopped === 'deliveries') this.#options.stopped();
    if (stopped !== undefined) return false;
    this.#hasBegun = true;
    cursor.startNext(new StartedDelivery(this.#counts));
    return true;
  }

  /**
   * Abandons the cursors that have not begun. What is left of the first one is still started, because its record would
   * otherwise be read again and repeat the others.
   */
  drain(): void {
    const begun = this.#hasBegun ? this.#cursors.shift() : undefined;
    this.abandon();
    if (begun === undefined) return;
    this.#cursors.push(begun);
    this.#hasBegun = true;
  }

  /** Abandons everything that is not started. */
  abandon(): void {
    this.#hasBegun = false;
    for (let cursor = this.#cursors.shift(); cursor !== undefined; cursor = this.#cursors.shift()) cursor.abandon();
  }

  get #stoppedBy(): PauseReason | undefined {
    const { limits, amounts } = this.#options;
    const { outsideRooms, active, deliveries } = this.#counts;
    if (outsideRooms > 0) return 'waiting_room';
    if (active >= limits.window) return 'window';
    return amounts.isUsedUp('deliveries', deliveries) ? 'deliveries' : undefined;
  }

  /** The first cursor with deliveries that are not started. */
  get #firstCursor(): DeliveryCursor | undefined {
    let cursor = this.#cursors.peek();
    while (cursor?.hasNext === false) {
      this.#cursors.shift();
      this.#hasBegun = false;
      cursor = this.#cursors.peek();
    }
    return cursor;
  }

  #add(cursor: DeliveryCursor): void {
    if (!this.#options.isOpen()) return cursor.abandon();
    this.#cursors.push(cursor);
    this.#options.start(this);
  }

  #eased(): void {
    if (this.#cursors.length > 0) this.#options.start(this);
    this.#options.eased();
  }
}
