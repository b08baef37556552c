import type { OffsetCommit } from '../client/consumer.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { Assignment } from './assignment.ts';
import { isRejoinError, kafkaErrorType } from '../client/faults.ts';
import { maxMetadataBytes } from './commits/commit-metadata.ts';

interface OffsetCommitterOptions {
  readonly assignment: () => Assignment;
  /** Sends one OffsetCommit request, under the generation current at the call. */
  readonly commit: (offsets: OffsetCommit) => Promise<void>;
  /** Called after each acknowledged commit, because the spans of partitions are shorter then. */
  readonly committed: () => void;
  readonly failed: (error: unknown) => void;
  readonly clock: MonotonicClock;
}

type CommitResult = 'done' | 'retry';

/** Time in ms from one commit to the next. They are at most a second apart, unless one takes longer than that. */
const intervalMs = 500;
/** Pause in ms between the tries of the last commit of an assignment. The caller's grace period bounds their number. */
const lastRetryMs = 100;

/**
 * Commits everything that is settled, at an interval and once more when partitions are given up. Owns the timer, the one
 * request that may be running, and the size of the metadata that the brokers accept.
 *
 * | A commit fails with                  | Then                                                                        |
 * | ------------------------------------ | --------------------------------------------------------------------------- |
 * | an unknown member, an old generation | the client joins again, and reads on from the last commit that was accepted |
 * | or a rebalance                       |                                                                             |
 * | metadata too large                   | `commitLast` retries, and no metadata is sent from now on                   |
 * | anything else                        | `commitLast` retries; the interval tries again anyway                       |
 *
 * `GroupConsumer` starts it after its first join, awaits `commitLast` in its barrier, and disposes it when it stops.
 *
 * Promises:
 * - One request runs at a time. Two could be handled in the wrong order, and the older offsets would win.
 * - `commitLast` first awaits the running request, which lacks the records that settled since it was sent.
 * - Offsets and generation are taken in the same tick. An `await` between the two could send the offsets of a revoked
 *   assignment under the next generation.
 */
export class OffsetCommitter implements Disposable {
  readonly #options: OffsetCommitterOptions;
  #timer: Disposable | undefined;
  #committing: Promise<CommitResult> | undefined;
  #metadataLimitBytes = maxMetadataBytes;

  constructor(options: OffsetCommitterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.after(intervalMs, () => {
      this.start();
      void this.#commit();
    });
  }

  /** Resolves once everything settled at the call is committed, or cannot be any more. Waits for a coordinator that moves. */
  async commitLast(): Promise<void> {
    await this.#committing;
    while ((await this.#commit()) === 'retry') await sleep(this.#options.clock, lastRetryMs);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  async #commit(): Promise<CommitResult> {
    this.#committing ??= this.#commitOnce().finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  async #commitOnce(): Promise<CommitResult> {
    const { assignment, commit, committed, failed } = this.#options;
    const due = assignment().toCommit(this.#metadataLimitBytes);
    if (due === undefined) return 'done';
    try {
      // kafkajs takes member id and generation in the same tick, so nothing may be awaited before this call.
      await commit(due.offsets);
      due.confirm();
      committed();
      return 'done';
    } catch (error) {
      failed(error);
      // These brokers accept less metadata (`offset.metadata.max.bytes`). Offsets without it are better than none.
      if (kafkaErrorType(error) === 'OFFSET_METADATA_TOO_LARGE') this.#metadataLimitBytes = 0;
      return isRejoinError(error) ? 'done' : 'retry';
    }
  }
}
