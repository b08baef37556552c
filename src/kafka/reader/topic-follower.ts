import { Backoff } from '../../lib/backoff.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import type { Offsets, TopicLog } from './topic-log.ts';
import { isTruncated } from './topic-positions.ts';
import { TopicReader } from './topic-reader.ts';
import type { TopicTable } from './topic-table.ts';

interface TopicFollowerOptions {
  readonly topic: string;
  readonly log: TopicLog;
  readonly table: TopicTable;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable' | 'topicsMissing'>;
  readonly clock: Clock;
  /** The table holds more of the topic than before. */
  readonly progressed: () => void;
  /** The topic is read from its start again: ends that were known mean nothing now. */
  readonly restarted: () => void;
}

/** Records that were read are no longer in the log: it was cut off, or deleted and made anew. */
class TopicTruncatedError extends Error {
  override readonly name = 'TopicCutOffError';
}

/** How often partitions are looked for that were added since. */
const discoveryEveryMs = 30_000;

/**
 * Keeps a topic's reading going, whatever happens to brokers or to the topic itself. A topic that was deleted, made
 * anew or cut off is read again from its start.
 */
export class TopicFollower implements AsyncDisposable {
  readonly #options: TopicFollowerOptions;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff({ firstMs: 100, longestMs: 5_000 });
  readonly #supervision: Promise<void>;
  #fullRead: FullRead | undefined;
  #isFullReadNeeded = true;
  #isMissing = false;
  #id: string | undefined;
  /** Resolves with what went wrong, or with undefined when it is time for the next discovery anyway. */
  #fault = Promise.withResolvers<Fault | undefined>();
  /** Resolves once the next discovery has succeeded. */
  #discovery = Promise.withResolvers<void>();

  constructor(options: TopicFollowerOptions) {
    this.#options = options;
    this.#supervision = this.#supervise();
  }

  hasReached(ends: Offsets): boolean {
    return this.#fullRead?.isComplete === true && this.#fullRead.reader.hasReached(ends);
  }

  lagRecords(): number {
    return this.#fullRead?.reader.lagRecords() ?? 0;
  }

  /** Where the topic ends now; asks until Kafka answers. Undefined once this is closed. */
  async askEnds(): Promise<Offsets | undefined> {
    while (!this.#closing.signal.aborted) {
      const discovery = this.#discovery.promise;
      const ends = await this.#tryEnds();
      if (ends !== undefined) return ends;
      await discovery;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#fullRead?.reader.stop();
    this.#fault.resolve(undefined);
    this.#discovery.resolve();
    await this.#supervision;
    await this.#fullRead?.reader[Symbol.asyncDispose]();
  }

  async #supervise(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const fault = (await this.#discover()) ?? (await this.#nextFault());
      if (fault !== undefined) await this.#backOff(fault);
    }
  }

  /** Finds out who leads what, and reads from whoever is not read from. Answers all faults from before it. */
  async #discover(): Promise<Fault | undefined> {
    this.#fault = Promise.withResolvers();
    try {
      await this.#options.log.refresh();
      this.#foundTopic();
      if (this.#isFullReadNeeded) await this.#startFullRead();
      await this.#fullRead?.reader.follow();
    } catch (error) {
      return { error };
    }
    this.#discovery.resolve();
    this.#discovery = Promise.withResolvers();
    return undefined;
  }

  async #nextFault(): Promise<Fault | undefined> {
    const { promise, resolve } = this.#fault;
    if (this.#closing.signal.aborted) return undefined;
    using _timer = this.#options.clock.after(discoveryEveryMs, () => resolve(undefined));
    return await promise;
  }

  async #backOff({ error }: Fault): Promise<void> {
    const { clock, events, topic } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const retryInMs = this.#backoff.next();
    if (kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION') this.#lostTopic();
    else events.kafkaUnreachable({ doing: `reading ${topic}`, error, retryInMs });
    await sleep(clock, retryInMs, signal);
  }

  #lostTopic(): void {
    if (this.#isMissing) return;
    this.#isMissing = true;
    this.#options.events.topicsMissing([this.#options.topic]);
  }

  /** If it had been gone, or has another id, it is another one by the same name, and our positions may lie inside it. */
  #foundTopic(): void {
    const id = this.#options.log.id() ?? this.#id;
    if (this.#id !== undefined && id !== this.#id) this.#isFullReadNeeded = true;
    this.#id = id;
    if (!this.#isMissing) return;
    this.#isMissing = false;
    this.#isFullReadNeeded = true;
    this.#options.events.topicsMissing([]);
  }

  async #startFullRead(): Promise<void> {
    const { log, table, restarted } = this.#options;
    const partitions = [...log.leaders().keys()];
    const starts = await log.starts(partitions);
    const goal = await log.ends(partitions);
    this.#isFullReadNeeded = false;
    if (this.#fullRead !== undefined) {
      this.#fullRead.reader.stop();
      table.beginRebuild();
    }
    const reading = new TopicReader({
      log,
      starts,
      whenReadable: (record) => table.whenReadable(record),
      apply: (record) => table.apply(record),
      progressed: () => this.#progressed(),
      faulted: (error) => this.#faulted(error),
    });
    this.#fullRead = { reader: reading, goal, isComplete: false };
    restarted();
    this.#progressed();
  }

  #progressed(): void {
    const pass = this.#fullRead;
    if (pass === undefined) return;
    this.#backoff.reset();
    if (!pass.isComplete && pass.reader.hasReached(pass.goal)) {
      this.#options.table.finishRebuild();
      pass.isComplete = true;
    }
    if (pass.isComplete) this.#options.progressed();
  }

  #faulted(error: unknown): void {
    // The log no longer reaches back, or not as far as, where we are.
    if (kafkaErrorType(error) === 'OFFSET_OUT_OF_RANGE') this.#isFullReadNeeded = true;
    this.#fault.resolve({ error });
  }

  async #tryEnds(): Promise<Offsets | undefined> {
    const pass = this.#fullRead;
    if (pass === undefined) return undefined;
    const read = pass.reader.positions();
    try {
      const ends = await this.#options.log.ends([...read.keys()]);
      if (!isTruncated(ends, read)) return ends;
      this.#isFullReadNeeded = true;
      this.#faulted(new TopicTruncatedError(`${this.#options.topic} ends before what was read of it`));
    } catch (error) {
      this.#faulted(error);
    }
    return undefined;
  }
}

interface Fault {
  readonly error: unknown;
}

/** One reading, until the topic has to be read anew. */
interface FullRead {
  readonly reader: TopicReader;
  /** What has to be reached for the table to be complete. */
  readonly goal: Offsets;
  isComplete: boolean;
}
