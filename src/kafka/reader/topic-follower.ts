import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import type { ConfigurationsTopicEvents, KafkaEvents } from '../kafka-events.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import { DiscoveryPause, type Fault } from './discovery-pause.ts';
import { RefillWatch } from './refill.ts';
import { KeyMemory } from './key-memory.ts';
import { assertTombstones, TombstonesMissedError } from './silence.ts';
import { followingStatus, type FollowingStatus, type ReadPhase } from './following-status.ts';
import type { Offsets, TopicLog } from './topic-log.ts';
import { isTruncated } from './topic-positions.ts';
import type { TopicMemory } from './topic-memory.ts';
import { TopicReader } from './topic-reader.ts';
import type { TopicTable } from './topic-table.ts';

export type TopicFollowerEvents = Pick<KafkaEvents, 'kafkaUnreachable' | 'topicsMissing'> & ConfigurationsTopicEvents;

interface TopicFollowerOptions {
  readonly topic: string;
  readonly log: TopicLog;
  readonly table: TopicTable;
  readonly events: TopicFollowerEvents;
  readonly clock: MonotonicClock;
  /** Remembers what an earlier process knew of the topic. Without it, the first read counts as it stands. */
  readonly memory?: TopicMemory | undefined;
  /** Returns the time in ms for which the topic keeps tombstones. Undefined if the brokers don't report it. */
  readonly tombstonesKeptMs: () => Promise<number | undefined>;
  /** Called when the table holds more of the topic than before, and is complete. */
  readonly progressed: () => void;
  /** Called when the topic is read from its start. Ends that were asked for before mean nothing then. */
  readonly restarted: () => void;
}

/** The topic ends before records that were read. It was truncated, or deleted and created again. */
class TopicTruncatedError extends Error {
  override readonly name = 'TopicTruncatedError';
}

/**
 * Reads a topic into a table, and goes on through faults of the brokers and of the topic. Owns the reader of the topic and a
 * loop of three steps. It discovers the topic, waits for a fault or 1 s, and after a fault waits for the backoff.
 *
 * A discovery asks for the topic's id and leaders. It then starts a full read if one is needed, and reads from each leader
 * that is not being read from. A full read goes from the topic's start to the end that it has at that time (the goal), and
 * then follows the topic. The first discovery makes one necessary, and so do these:
 *
 * | Noticed by                              | Meaning                                                   |
 * | --------------------------------------- | --------------------------------------------------------- |
 * | another id, or a topic that was missing | The topic was recreated. Our offsets mean nothing in it.  |
 * | another number of partitions            | Keys have moved, so the time of all records is needed.    |
 * | `OFFSET_OUT_OF_RANGE`                   | Retention or truncation removed the place where we read.  |
 * | an end below what was read              | The topic was recreated or truncated.                     |
 * | no answer for too long                  | Tombstones may be gone unread. What it holds counts.      |
 *
 * ```
 *           first discovery             goal reached              refilled, or accepted
 *   unread ────────────────▶ incomplete ────────────▶ held ──────────────────────────▶ complete
 *                                ▲                      │     (at once if no key is missing)    │
 *                                └──────────────────────┴──────────────────────────────────────┘
 *                                                   full read again
 * ```
 *
 * Promises:
 * - `progressed` is called only while the table is complete.
 * - A full read asks for starts and goal before it changes anything. If that fails, the next discovery tries again.
 * - `restarted` is called after the new reader is in place. Callers that wait for an end of the earlier one then ask again.
 * - `askEnds` looks at the topic when it asks, and compares the ends with what was read. Otherwise a partition that was
 *   added, a recreated topic or a truncated one would seem to be read to its end.
 */
export class TopicFollower implements AsyncDisposable {
  readonly #options: TopicFollowerOptions;
  readonly #closing = new AbortController();
  readonly #backoff = new Backoff({ firstMs: 100, longestMs: 5_000 });
  readonly #supervision: Promise<void>;
  /** Monotonic time at which the last successful discovery began, or of the start before the first one. */
  #discoveredAt: number;
  readonly #memory: KeyMemory;
  #lastFault: unknown;
  #fullRead: FullRead | undefined;
  #isFullReadNeeded = true;
  #wasSilent = false;
  #wasComplete = false;
  #isMissing = false;
  #id: string | undefined;
  readonly #pause: DiscoveryPause;
  /** Resolves once the next discovery has succeeded. */
  #discovery = Promise.withResolvers<void>();

  constructor(options: TopicFollowerOptions) {
    this.#options = options;
    this.#discoveredAt = options.clock.monotonic();
    this.#pause = new DiscoveryPause(options.clock);
    this.#memory = new KeyMemory(options);
    this.#supervision = this.#supervise();
  }

  /** Returns true if the table is complete and holds everything below these ends. */
  hasReached(ends: Offsets): boolean {
    return this.#fullRead?.phase === 'complete' && this.#fullRead.reader.positions.hasReached(ends);
  }

  status(): FollowingStatus {
    const { table, clock, topic } = this.#options;
    const fullRead = this.#fullRead;
    return followingStatus({
      topic,
      isMissing: this.#isMissing,
      now: clock.monotonic(),
      discoveredAt: this.#discoveredAt,
      positions: fullRead?.reader.positions,
      fault: this.#lastFault,
      phase: fullRead === undefined ? 'unread' : fullRead.phase,
      refill: table.refill(),
    });
  }

  /** Asks for the current end of each partition until Kafka answers. Resolves to undefined after disposal. */
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
    this.#pause.close();
    this.#discovery.resolve();
    await this.#supervision;
    await this.#fullRead?.reader[Symbol.asyncDispose]();
    await this.#memory[Symbol.asyncDispose]();
  }

  async #supervise(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const fault = (await this.#discover()) ?? (await this.#pause.wait());
      if (fault !== undefined) await this.#backOff(fault);
    }
  }

  /** Asks for the topic's leaders and reads from those that are not being read from. Handles all faults before its start. */
  async #discover(): Promise<Fault | undefined> {
    this.#pause.reset();
    const beganAt = this.#options.clock.monotonic();
    try {
      await this.#options.log.refresh();
      this.#topicFound();
      if (this.#isFullReadNeeded) await this.#startFullRead();
      this.#fullRead?.reader.follow();
    } catch (error) {
      return { error };
    }
    this.#discoveredAt = beganAt;
    if (this.#fullRead?.phase === 'complete') this.#memory.note(this.#id, this.#options.table.refill().found);
    this.#discovery.resolve();
    this.#discovery = Promise.withResolvers();
    return undefined;
  }

  async #backOff({ error }: Fault): Promise<void> {
    const { clock, events, topic } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    this.#lastFault = error;
    const retryInMs = this.#backoff.next();
    if (kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION') this.#topicMissing();
    else events.kafkaUnreachable({ doing: `reading ${topic}`, error, retryInMs });
    await sleep(clock, retryInMs, signal);
  }

  #topicMissing(): void {
    if (this.#isMissing) return;
    this.#isMissing = true;
    this.#options.events.topicsMissing([this.#options.topic]);
  }

  /** Requests a full read if the topic was missing, has another id or more partitions. */
  #topicFound(): void {
    const { log, events } = this.#options;
    const id = log.id() ?? this.#id;
    // Our offsets may exist in the new topic by chance.
    if (this.#id !== undefined && id !== this.#id) this.#isFullReadNeeded = true;
    this.#id = id;
    if (this.#fullRead !== undefined && log.leaders().size !== this.#fullRead.goal.size) this.#isFullReadNeeded = true;
    if (!this.#isMissing) return;
    this.#isMissing = false;
    this.#isFullReadNeeded = true;
    events.topicsMissing([]);
  }

  async #startFullRead(): Promise<void> {
    const { log, table, clock, restarted, tombstonesKeptMs } = this.#options;
    const id = this.#id;
    const goal = await log.ends();
    const starts = await log.starts([...goal.keys()]);
    // A table that was never complete says nothing about a topic that was created again.
    const expected = this.#wasComplete ? 0 : await this.#memory.expectedKeys(id);
    const before = this.#fullRead;
    const isSame = this.#wasSilent && before?.phase === 'complete' && id !== undefined && before.id === id;
    const refill = isSame && !isTruncated(goal, before.reader.positions.all()) ? noRefill : new RefillWatch();
    this.#wasSilent = false;
    // The topic may have changed again in the meantime.
    this.#isFullReadNeeded = this.#id !== id || log.leaders().size !== goal.size;
    before?.reader.stop();
    table.beginRead(goal.size, expected);
    const reader = new TopicReader({
      log,
      starts,
      prepare: (records, silentMs) => assertTombstones(silentMs, tombstonesKeptMs) ?? table.prepare(records),
      apply: (record, partition) => table.apply(record, partition),
      progressed: () => this.#progressed(),
      fetchWaitMs: () => this.#pause.fetchWaitMs(),
      faulted: (error) => this.#faulted(error),
      clock,
    });
    this.#fullRead = { id, reader, goal, refill, phase: 'incomplete', isDuplicationReported: false };
    restarted();
    this.#progressed();
  }

  #progressed(): void {
    const fullRead = this.#fullRead;
    if (fullRead === undefined) return;
    this.#backoff.reset();
    const isRead = fullRead.reader.positions.hasReached(fullRead.goal);
    if (fullRead.phase !== 'complete' && isRead) this.#replaceOrHold(fullRead);
    if (fullRead.phase !== 'complete') return;
    this.#reportDuplication(fullRead);
    this.#options.progressed();
  }

  /** Completes the table if enough of the topic is there again. Otherwise its last complete state stays in use. */
  #replaceOrHold(fullRead: FullRead): void {
    const { topic, table, events } = this.#options;
    const { expected, found, isAccepted } = table.refill();
    const wasHeld = fullRead.phase === 'held';
    if (fullRead.refill.isFilled({ expected, found, isAccepted }, fullRead.reader.progress())) {
      table.finishRead();
      this.#wasComplete = true;
      fullRead.phase = 'complete';
      if (wasHeld) events.configurationsReplaced({ topic, found, expected });
      return;
    }
    fullRead.phase = 'held';
    table.overlay();
    if (!wasHeld) events.configurationsHeld({ topic, found, expected });
  }

  #reportDuplication(fullRead: FullRead): void {
    const { topic, table, events } = this.#options;
    const { keys, named } = table.twice;
    if (keys === 0 || fullRead.isDuplicationReported) return;
    fullRead.isDuplicationReported = true;
    events.configurationsDuplicated({ topic, configurations: keys, ids: named });
  }

  #faulted(error: unknown): void {
    this.#wasSilent ||= error instanceof TombstonesMissedError;
    // The next offset to read is below the start of the log, or beyond its end.
    const isLost = error instanceof TopicTruncatedError || kafkaErrorType(error) === 'OFFSET_OUT_OF_RANGE';
    if (isLost || this.#wasSilent) this.#isFullReadNeeded = true;
    this.#pause.end({ error });
  }

  async #tryEnds(): Promise<Offsets | undefined> {
    const fullRead = this.#fullRead;
    if (fullRead === undefined) return undefined;
    const positions = fullRead.reader.positions.all();
    try {
      const ends = await this.#options.log.ends();
      this.#topicFound();
      if (this.#isFullReadNeeded) this.#pause.end();
      else if (!isTruncated(ends, positions)) return ends;
      else this.#faulted(new TopicTruncatedError(`${this.#options.topic} ends before what was read of it`));
    } catch (error) {
      this.#faulted(error);
    }
    return undefined;
  }
}

/** The topic is the one that was read before, so keys that are not found again were removed. */
const noRefill = { isFilled: () => true };

interface FullRead {
  readonly id: string | undefined;
  readonly reader: TopicReader;
  /** The ends of the topic at the start of this read. The table is complete once they are reached. */
  readonly goal: Offsets;
  readonly refill: Pick<RefillWatch, 'isFilled'>;
  phase: ReadPhase;
  isDuplicationReported: boolean;
}
