import type { FlowLimits } from './limits.ts';
import { HeldAmounts, type Amounts } from './held-amounts.ts';
import { PartitionFlow } from './partition.ts';
import type { StartTurns } from './turns.ts';

/**
 * Flow control of one consumer group: how far its partitions are read, and what of them may start.
 *
 * Answers two questions. `PartitionFlow.pausedBy`: may this partition read on, and if not, why. `PartitionFlow.startNext`:
 * may the next delivery of this partition start. The answers depend on counts alone, not on load or time.
 *
 * | limit           | of                                             | at the limit                                |
 * | --------------- | ---------------------------------------------- | ------------------------------------------- |
 * | records, bytes  | all partitions, by share                       | the partition reads no more                 |
 * | span            | each partition                                 | the partition reads no more                 |
 * | deliveries      | all partitions, by share                       | the partition starts no more                |
 * | window          | each partition; its owners, by share           | the partition, or the owner, starts no more |
 * | pending records | all partitions, by share                       | the partition reads no more                 |
 * | waiting room    | each endpoint                                  | the owner starts no more, or it overflows   |
 * | starts per turn | the process                                    | the start waits for a later turn            |
 *
 * `Admission` opens a partition for each that it reads, and asks to be told when something was released. The intake drains
 * it with the gates.
 */
export class FlowControl {
  readonly limits: FlowLimits;
  readonly #turns: StartTurns;
  readonly #amounts: HeldAmounts;
  #partitions: PartitionFlow[] = [];
  /** True if a shared limit has stopped a start since the last recheck. */
  #isShareUsedUp = false;
  #isRecheckScheduled = false;
  #whenReleased: (() => void) | undefined;

  /** The turns are shared by all groups, because they share the event loop. */
  constructor(limits: FlowLimits, turns: StartTurns) {
    this.limits = limits;
    this.#turns = turns;
    this.#amounts = new HeldAmounts(limits);
  }

  /** Amounts of all partitions, those of earlier assignments included. */
  get held(): Amounts {
    return this.#amounts.held;
  }

  /** Begins an assignment of that many partitions. Abandons what earlier ones have not started. */
  begin(partitions: number): void {
    for (const partition of this.#partitions) partition.abandon();
    this.#partitions = [];
    this.#amounts.divideAmong(partitions);
  }

  openPartition(): PartitionFlow {
    const partition = new PartitionFlow({
      limits: this.limits,
      amounts: this.#amounts,
      start: (ready) => this.#turns.start(ready),
      stopped: () => {
        this.#isShareUsedUp = true;
      },
      released: () => this.#released(),
    });
    this.#partitions.push(partition);
    return partition;
  }

  /** Begins no further record of this assignment. Records that have begun are started to their last delivery. */
  drain(): void {
    for (const partition of this.#partitions) partition.drain();
  }

  /** Calls `run` once, in a turn after something was released. Replaces an earlier `run`. */
  onceReleased(run: () => void): void {
    this.#whenReleased = run;
  }

  /** Checks in the next turn what may read or start, although nothing was released. */
  recheckInNextTurn(): void {
    if (this.#isRecheckScheduled) return;
    this.#isRecheckScheduled = true;
    this.#turns.afterNextStarts(() => this.#recheck());
  }

  /** The shares of all partitions have grown. Those that wait for it are checked once, in the next turn. */
  #released(): void {
    if (this.#isShareUsedUp || this.#whenReleased !== undefined) this.recheckInNextTurn();
  }

  #recheck(): void {
    this.#isRecheckScheduled = false;
    const partitions = this.#isShareUsedUp ? this.#partitions : [];
    this.#isShareUsedUp = false;
    for (const partition of partitions) this.#turns.start(partition);
    const run = this.#whenReleased;
    this.#whenReleased = undefined;
    run?.();
  }
}
