import { SwapList } from '../../lib/swap-list.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { writeRetryMs, type OutgoingRecord } from './batch.ts';
import { BatchQueue } from './batch-queue.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';

/** `too_large`: the broker refuses this very record for its size. `abandoned`: it was no longer wanted. */
export type WriteResult = 'written' | 'too_large' | 'abandoned';

/** Whether a record is still to be written, or a promise of that. */
export type WantedCheck = () => boolean | Promise<boolean>;

/** The handoff was disposed of before the record was acknowledged; nobody knows whether the brokers have it. */
export class PublisherClosedError extends Error {
  override readonly name = 'PublisherClosedError';

  constructor() {
    super('the handoff is closed');
  }
}

const always: WantedCheck = () => true;

interface PartitionWriterOptions {
  /** Resolves once all in-sync replicas have these records. */
  readonly send: (records: readonly OutgoingRecord[]) => Promise<void>;
  readonly failed: (error: unknown, retryInMs: number) => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** How long a record waits for others to fill its batch. */
  readonly lingerMs: number;
  /** Once aborted, what is not acknowledged is rejected with `PublisherClosedError`, and so is what comes later. */
  readonly signal: AbortSignal;
}

interface PendingWrite {
  readonly record: OutgoingRecord;
  readonly isWanted: WantedCheck;
  readonly settle: (written: WriteResult) => void;
}

/**
 * Writes to one partition, in order: one batch is on its way at a time, and is sent again until it is acknowledged. The
 * next one goes when it is full, so that a burst is written as it comes and not in waves.
 */
export class PartitionWriter {
  readonly #options: PartitionWriterOptions;
  /** Tell those that wait that the handoff is closed. */
  readonly #rejections = new SwapList<(error: PublisherClosedError) => void>();
  readonly #queue = new BatchQueue<PendingWrite>();
  #running: Promise<void> | undefined;
  /** Ends the wait for a full batch. */
  #wake = (): void => undefined;

  constructor(options: PartitionWriterOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** `isWanted` is asked each time that the record is about to be sent: it may have waited for others, or for the brokers. */
  write(record: OutgoingRecord, isWanted: WantedCheck = always): Promise<WriteResult> {
    if (this.#options.signal.aborted) return Promise.reject(new PublisherClosedError());
    return new Promise((resolve, reject) => {
      const place = this.#rejections.add(reject);
      const settle = (written: WriteResult): void => {
        this.#rejections.delete(place);
        resolve(written);
      };
      this.#enqueue({ record, isWanted, settle });
    });
  }

  /** Resolves once nothing is on its way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #enqueue(waiting: PendingWrite): void {
    this.#queue.push(waiting, this.#options.clock.now());
    if (this.#queue.isFull) this.#wake();
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let since = this.#queue.oldestQueuedAt; since !== undefined; since = this.#queue.oldestQueuedAt) {
      if (!this.#queue.isFull) await this.#linger(since);
      await this.#writeBatch(this.#queue.shift());
    }
    this.#running = undefined;
  }

  /** Until the batch is full, or its first record has waited for as long as it may. */
  async #linger(since: number): Promise<void> {
    const { clock, lingerMs } = this.#options;
    const waitedMs = Math.max(0, clock.now() - since);
    if (waitedMs > lingerMs) return;
    await new Promise<void>((resolve) => {
      const timer = clock.after(lingerMs - waitedMs, resolve);
      this.#wake = () => {
        timer[Symbol.dispose]();
        resolve();
      };
    });
  }

  async #writeBatch(waiting: readonly PendingWrite[]): Promise<void> {
    const { clock, failed, random, signal } = this.#options;
    let batch = waiting;
    for (let failures = 1; !signal.aborted; failures += 1) {
      batch = batch.filter((one) => this.#isWantedNow(one));
      if (batch.length === 0) return;
      const error = await this.#trySend(batch);
      if (error === undefined) return this.#settle(batch, 'written');
      if (isTooLarge(error)) return this.#split(batch);
      if (signal.aborted) return;
      const retryInMs = writeRetryMs(failures, random);
      failed(error, retryInMs);
      await sleep(clock, retryInMs, signal);
    }
  }

  /** What is not known to be wanted joins the queue again once it is, and holds up nobody. */
  #isWantedNow(waiting: PendingWrite): boolean {
    const isWanted = waiting.isWanted();
    const decide = (wanted: boolean): void => (wanted ? this.#enqueue(waiting) : this.#settle([waiting], 'abandoned'));
    if (isWanted instanceof Promise) void isWanted.then(decide);
    else if (!isWanted) decide(false);
    return isWanted === true;
  }

  async #trySend(batch: readonly PendingWrite[]): Promise<Error | undefined> {
    try {
      await this.#options.send(batch.map(({ record }) => record));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error('the write failed', { cause: error });
    }
  }

  /** A broker judges the size of a batch, not of its records: each half may do. */
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

function isTooLarge(error: Error): boolean {
  const type = kafkaErrorType(error);
  return type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE';
}
