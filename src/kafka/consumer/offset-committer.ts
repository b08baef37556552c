import { sleep, type Clock } from '../../lib/clock.ts';
import type { Assignment } from './assignment.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import type { OffsetCommit } from '../kafkajs/internals.ts';
import { isCoordinatorError, isNetworkError } from '../kafkajs/faults.ts';
import { maxMetadataBytes } from './settled-offsets.ts';

export interface OffsetCommitterOptions {
  /** The one at present. */
  readonly assignment: () => Assignment;
  /** One OffsetCommit request under the generation at hand when it is called. */
  readonly commit: (offsets: OffsetCommit) => Promise<void>;
  /** A commit was taken: spans are shorter now. */
  readonly committed: () => void;
  readonly failed: (error: unknown) => void;
  readonly clock: Clock;
}

/** Commits are at most a second apart, the time that a commit takes included. */
const intervalMs = 500;
/** Of the last commit of an assignment, for as long as that lasts. */
const lastRetryMs = 100;

/** Commits what is settled, again and again, one request at a time. */
export class OffsetCommitter implements Disposable {
  readonly #options: OffsetCommitterOptions;
  #timer: Disposable | undefined;
  #committing: Promise<'done' | 'again'> | undefined;
  #metadataLimitBytes = maxMetadataBytes;
  #disposed = false;

  constructor(options: OffsetCommitterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.after(intervalMs, () => {
      void this.#commit().finally(() => {
        if (!this.#disposed) this.start();
      });
    });
  }

  /** What is settled by now is committed when this resolves, or can't be any more. A coordinator that moves is waited for. */
  async commitLast(): Promise<void> {
    await this.#committing;
    while ((await this.#commit()) === 'again') await sleep(this.#options.clock, lastRetryMs);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  async #commit(): Promise<'done' | 'again'> {
    this.#committing ??= this.#commitOnce().finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  /** The offsets are collected in the tick in which kafkajs takes member id and generation. */
  async #commitOnce(): Promise<'done' | 'again'> {
    const { assignment, commit, committed: taken, failed } = this.#options;
    const due = assignment().toCommit(this.#metadataLimitBytes);
    if (due === undefined) return 'done';
    try {
      await commit(due.offsets);
      due.confirm();
      taken();
      return 'done';
    } catch (error) {
      // The next commit says it again, or the next assignment starts where the last one that was taken stands.
      failed(error);
      // These brokers take less (`offset.metadata.max.bytes`): offsets without it are better than none.
      const isTooLarge = kafkaErrorType(error) === 'OFFSET_METADATA_TOO_LARGE';
      if (isTooLarge) this.#metadataLimitBytes = 0;
      return isTooLarge || isNetworkError(error) || isCoordinatorError(error) ? 'again' : 'done';
    }
  }
}
