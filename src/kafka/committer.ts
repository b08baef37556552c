import type { Clock } from '../lib/clock.ts';
import type { Assignment } from './assignment.ts';
import { kafkaErrorType } from './error-type.ts';
import type { OffsetCommit } from './kafkajs/internals.ts';
import { maxMetadataBytes } from './settled-offsets.ts';

export interface CommitterParts {
  /** The one at present. */
  readonly assignment: () => Assignment;
  /** One OffsetCommit request under the generation at hand when it is called. */
  readonly commit: (offsets: OffsetCommit) => Promise<void>;
  /** A commit was taken: spans are shorter now. */
  readonly taken: () => void;
  readonly failed: (error: unknown) => void;
  readonly clock: Clock;
}

/** Commits are at most a second apart, the time that a commit takes included. */
const intervalMs = 500;

/** Commits what is settled, again and again, one request at a time. */
export class Committer implements Disposable {
  readonly #parts: CommitterParts;
  #timer: Disposable | undefined;
  #committing: Promise<void> | undefined;
  #metadataLimitBytes = maxMetadataBytes;
  #disposed = false;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(intervalMs, () => {
      void this.#commit().finally(() => {
        if (!this.#disposed) this.start();
      });
    });
  }

  /** What is settled by now is committed when this resolves, or was refused. */
  async commitLast(): Promise<void> {
    await this.#committing;
    await this.#commit();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  async #commit(): Promise<void> {
    this.#committing ??= this.#commitOnce().finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  /** The offsets are collected in the tick in which kafkajs takes member id and generation. */
  async #commitOnce(): Promise<void> {
    const { assignment, commit, taken, failed } = this.#parts;
    const due = assignment().toCommit(this.#metadataLimitBytes);
    if (due === undefined) return;
    try {
      await commit(due.offsets);
      due.confirm();
      taken();
    } catch (error) {
      // The next commit says it again, or the next assignment starts where the last one that was taken stands.
      failed(error);
      // These brokers take less (`offset.metadata.max.bytes`): offsets without it are better than none.
      if (kafkaErrorType(error) === 'OFFSET_METADATA_TOO_LARGE') this.#metadataLimitBytes = 0;
    }
  }
}
