import { SwapList } from '../../lib/swap-list.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { writeRetryMs, type OutgoingRecord, BatchQueue } from './batch.ts';
import { isTooLarge } from './topic-producer.ts';

/** `too_large`: the broker refuses this record for its size. `abandoned`: its check returned false. */
export type WriteResult = 'written' | 'too_large' | 'abandoned';

/** Returns whether a record is still to be written, or a promise while that is not known. */
export type WantedCheck = () => boolean | Promise<boolean>;

/** The publisher was closed before the record was acknowledged. The brokers may or may not have the record. */
export class PublisherClosedError extends Error {
  override readonly name = 'PublisherClosedError';

  constructor() {
    super('the retry publisher is closed');
  }
}

const always: WantedCheck = () => true;

export interface PartitionWriterOptions {
  /** Resolves once all in-sync replicas have these records. */
  readonly send: (records: readonly OutgoingRecord[]) => Promise<void>;
  /** Called after each failed write, except one that is refused for its size. */
  readonly failed: (error: unknown, retryInMs: number) => void;
  readonly clock: MonotonicClock;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  /** The longest time in ms that a record waits for its batch to fill. */
  readonly lingerMs: number;
  /** Closes the writer. */
  readonly signal: AbortSignal;
}

interface PendingWrite {
  readonly record: OutgoingRecord;
  readonly isWanted: WantedCheck;
  readonly settle: (written: WriteResult) => void;
}

/**
 * Writes records to one partition, in batches and in the order of the calls. Owns the queue of the partition and the promise
 * of each call. A `TopicWriter` creates one for each partition, on the first write to it.
 *
 * ```
 *          write              full, or lingerMs over              acknowledged
 *   idle ─────────▶ lingering ─────────────────────▶ sending ──────────────────▶ lingering, or idle if all is written
 *                                                    │    ▲
 *                                             failed └────┘ after a growing wait
 *
 *   Aborting `signal` closes the writer for good, in every state.
 * ```
 *
 * | Answer of the brokers | What follows                                                             |
 * | --------------------- | ------------------------------------------------------------------------ |
 * | acknowledged          | All records of the batch resolve to `written`.                           |
 * | too large             | Each half is sent on its own. A single record resolves to `too_large`.   |
 * | anything else         | `failed` is called, and the batch is sent again, as often as necessary.  |
 *
 * Promises:
 * - A record resolves to `written` only when all in-sync replicas have it. Its offset is committed after that, so an earlier
 *   answer could lose a delivery.
 * - One batch is in flight at a time. A second one could overtake a batch that has to be sent again.
 * - A full batch is sent at once. If it waited for its time, a burst would be written in waves that block the event loop.
 * - `isWanted` is called before each try. A record may wait here for minutes, and the partition that it came from may have
 *   another owner by then, which makes the same delivery.
 * - A record whose check is pending leaves its batch and is queued again once it is wanted. Others do not wait for it.
 * - After closing, every pending and every later call rejects with `PublisherClosedError`. `idle` waits for a batch that is
 *   in flight, but its result is ignored.
 */
export class PartitionWriter {
  readonly #options: PartitionWriterOptions;
  /** Rejects the promise of each pending call. */
  readonly #rejections = new SwapList<(error: PublisherClosedError) => void>();
  readonly #queue = new BatchQueue<PendingWrite>();
  /** The batch that is being sent, or waits to be sent again. */
  #sending: readonly PendingWrite[] = [];
  #running: Promise<void> | undefined;
  #triedAt = 0;
  /** Ends the wait for a full batch early. */
  #wake = (): void => undefined;

  constructor(options: PartitionWriterOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Resolves once the record is written, or will never be. `isWanted` is called each time that it is about to be sent. */
  write(record: OutgoingRecord, isWanted: WantedCheck = always): Promise<WriteResult> {
    if (this.#options.signal.aborted) return Promise.reject(new PublisherClosedError());
    return new Promise((resolve, reject) => {
      const entry = this.#rejections.add(reject);
      const settle = (written: WriteResult): void => {
        this.#rejections.delete(entry);
        resolve(written);
      };
      this.#enqueue({ record, isWanted, settle });
    });
  }

  /**
   * Ends the records whose check returns false. Without this they are asked when it is their turn. A record that is being sent
   * may still be written.
   */
  dropUnwanted(): void {
    this.#settle([...this.#queue.remove(isUnwanted), ...this.#sending.filter(isUnwanted)], 'abandoned');
  }

  /** Returns the monotonic time at which the last try began or ended, or the present while there is nothing to write. */
  lastActivityAt(): number {
    return this.#running === undefined ? this.#options.clock.monotonic() : this.#triedAt;
  }

  /** Resolves once no batch is in flight or queued. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #enqueue(write: PendingWrite): void {
    this.#queue.push(write, this.#options.clock.monotonic());
    if (this.#queue.isFull) this.#wake();
    if (this.#running !== undefined) return;
    this.#triedAt = this.#options.clock.monotonic();
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    for (let queuedAt = this.#queue.oldestQueuedAt; queuedAt !== undefined; queuedAt = this.#queue.oldestQueuedAt) {
      if (!this.#queue.isFull) await this.#linger(queuedAt);
      await this.#writeBatch(this.#queue.shift());
      this.#sending = [];
    }
    this.#running = undefined;
  }

  /** Waits until the batch is full, or its first record has waited for `lingerMs`. */
  async #linger(queuedAt: number): Promise<void> {
    const { clock, lingerMs } = this.#options;
    const waitedMs = clock.monotonic() - queuedAt;
    if (waitedMs > lingerMs) return;
    await new Promise<void>((resolve) => {
      const timer = clock.after(lingerMs - waitedMs, resolve);
      this.#wake = () => {
        timer[Symbol.dispose]();
        resolve();
      };
    });
  }

  async #writeBatch(writes: readonly PendingWrite[]): Promise<void> {
    const { clock, failed, random, signal } = this.#options;
    let batch = writes;
    for (let failures = 1; !signal.aborted; failures += 1) {
      batch = batch.filter((write) => this.#isWantedNow(write));
      if (batch.length === 0) return;
      this.#sending = batch;
      const error = await this.#trySend(batch);
      if (error === undefined) return this.#settle(batch, 'written');
      if (isTooLarge(error)) return this.#split(batch);
      if (signal.aborted) return;
      const retryInMs = writeRetryMs(failures, random);
      failed(error, retryInMs);
      await sleep(clock, retryInMs, signal);
    }
  }

  /** Returns false for a record that is not wanted, or not yet known to be. The latter is queued again once it is wanted. */
  #isWantedNow(write: PendingWrite): boolean {
    const isWanted = write.isWanted();
    const decide = (wanted: boolean): void => (wanted ? this.#enqueue(write) : this.#settle([write], 'abandoned'));
    if (isWanted instanceof Promise) void isWanted.then(decide);
    else if (!isWanted) decide(false);
    return isWanted === true;
  }

  async #trySend(batch: readonly PendingWrite[]): Promise<Error | undefined> {
    this.#triedAt = this.#options.clock.monotonic();
    try {
      await this.#options.send(batch.map(({ record }) => record));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error('the write failed', { cause: error });
    } finally {
      this.#triedAt = this.#options.clock.monotonic();
    }
  }

  /** Sends each half on its own, because the broker refuses a whole batch for its size, not the one record in it. */
  async #split(batch: readonly PendingWrite[]): Promise<void> {
    if (batch.length === 1) return this.#settle(batch, 'too_large');
    const half = Math.ceil(batch.length / 2);
    await this.#writeBatch(batch.slice(0, half));
    await this.#writeBatch(batch.slice(half));
  }

  #settle(batch: readonly PendingWrite[], written: WriteResult): void {
    for (const { settle } of batch) settle(written);
  }

  #close(): void {
    for (const reject of this.#rejections) reject(new PublisherClosedError());
    this.#queue.clear();
    this.#wake();
  }
}

function isUnwanted({ isWanted }: PendingWrite): boolean {
  return isWanted() === false;
}
