import type { Offsets, TopicLog } from '../client/topic-log.ts';
import { Backoff } from '../../lib/backoff.ts';
import { sleep, type MonotonicClock } from '../../lib/clock.ts';
import { logMark, type LogMark } from '../consumer/commits/commit-metadata.ts';
import type { ConfigurationsTopicEvents, KafkaEvents } from '../kafka-events.ts';
import { kafkaErrorType } from '../client/faults.ts';
import { DiscoveryPause, type Fault } from './discovery-pause.ts';
import { assertTombstones, TombstonesMissedError } from './silence.ts';
import { followingStatus, isAtEnd, phaseAtEnd, type FollowingStatus, type FullRead } from './following-status.ts';
import { ReplacementCheck, type IsReplaced } from './replacement-check.ts';
import { isTruncated, TopicTruncatedError } from './topic-positions.ts';
import { TopicReader } from './topic-reader.ts';
import type { TopicTable } from './topic-table.ts';

export type TopicFollowerEvents = Pick<KafkaEvents, 'kafkaUnreachable' | 'topicsMissing'> & ConfigurationsTopicEvents;

interface TopicFollowerOptions {
  readonly topic: string;
  readonly log: TopicLog;
  readonly table: TopicTable;
  readonly events: TopicFollowerEvents;
  readonly clock: MonotonicClock;
  /** Asked until the first complete read. Without it, that read counts as it stands. */
  readonly isReplaced?: IsReplaced | undefined;
  /** Returns the time in ms for which the topic keeps tombstones. Undefined if the brokers don't report it. */
  readonly tombstonesKeptMs: () => Promise<number | undefined>;
  /** Called when the table holds more of the topic than before, and is complete. */
  readonly progressed: () => void;
  /** Called when the topic is read from its start. Ends that were asked for before mean nothing then. */
  readonly restarted: () => void;
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
 *           first discovery             goal reached                       nothing is missing, or accepted
 *   unread ────────────────▶ incomplete ────────────▶ held or unaccepted ──────────────────────────────────▶ complete
 *                                ▲                      │              (at once if nothing is missing)           │
 *                                └──────────────────────┴────────────────────────────────────────────────────────┘
 *                                                   full read again
 * ```
 *
 * A process that was complete is held. One that starts, or had not read the end of the topic before, is unaccepted until
 * somebody accepts the topic or another process has completed it.
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
  #complete: LogMark | undefined;
  readonly #check: ReplacementCheck;
  #lastFault: unknown;
  #fullRead: FullRead | undefined;
  #isFullReadNeeded = true;
  #wasSilent = false;
  /** True while the last state is all of a topic, as far as is known. Else nobody knows which keys a new topic lacks. */
  #wasComplete = false;
  #isMissing = false;
  #endsAskedAt = Infinity;
  #id: string | undefined;
  readonly #pause: DiscoveryPause;
  /** Resolves once the next discovery has succeeded. */
  #discovery = Promise.withResolvers<void>();

  constructor(options: TopicFollowerOptions) {
    this.#options = options;
    this.#discoveredAt = options.clock.monotonic();
    this.#pause = new DiscoveryPause(options.clock);
    this.#check = new ReplacementCheck(options.isReplaced, options.clock);
    this.#supervision = this.#supervise();
  }

  /** Returns true if the table is complete and holds everything below these ends. */
  hasReached(ends: Offsets): boolean {
    return this.#fullRead?.phase === 'complete' && this.#fullRead.reader.positions.hasReached(ends);
  }

  status(): FollowingStatus {
    const { table, clock, topic } = this.#options;
    return followingStatus({
      topic,
      isMissing: this.#isMissing,
      now: clock.monotonic(),
      discoveredAt: this.#discoveredAt,
      positions: this.#fullRead?.reader.positions,
      fault: this.#lastFault,
      phase: this.#fullRead?.phase ?? 'unread',
      missing: table.missing,
    });
  }

  /** Returns the monotonic time at which the oldest present step began: a discovery, or a request for records or ends. */
  lastActivityAt(): number {
    return Math.min(this.#pause.discoveryAt, this.#endsAskedAt, this.#fullRead?.reader.lastActivityAt() ?? Infinity);
  }

  /** Returns the topic that was last read completely. Undefined before that, and if the brokers do not report ids. */
  get complete(): LogMark | undefined {
    return this.#complete;
  }

  /** Asks for the current end of each partition until Kafka answers. Resolves to undefined after disposal. */
  async askEnds(): Promise<Offsets | undefined> {
    while (!this.#closing.signal.aborted) {
      const discovery = this.#discovery.promise;
      this.#endsAskedAt = this.#options.clock.monotonic();
      const ends = await this.#tryEnds();
      this.#endsAskedAt = Infinity;
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
    try {
      await this.#options.log.refresh();
      this.#topicFound();
      if (!this.#wasComplete) await this.#check.ask(this.#mark(this.#id), this.#fullRead?.phase === 'unaccepted');
      if (this.#isFullReadNeeded) await this.#startFullRead();
      this.#fullRead?.reader.follow();
      if (!this.#wasComplete) this.#progressed();
    } catch (error) {
      return { error };
    }
    this.#discoveredAt = this.#pause.discoveryAt;
    this.#discovery.resolve();
    this.#discovery = Promise.withResolvers();
    return undefined;
  }

  async #backOff({ error }: Fault): Promise<void> {
    const { clock, events, topic } = this.#options;
    if (this.#closing.signal.aborted) return;
    this.#lastFault = error;
    const retryInMs = this.#backoff.next();
    const isMissing = kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
    if (!isMissing) events.kafkaUnreachable({ doing: `reading ${topic}`, error, retryInMs });
    else if (!this.#isMissing) events.topicsMissing([topic]);
    this.#isMissing ||= isMissing;
    await sleep(clock, retryInMs, this.#closing.signal);
  }

  /** Requests a full read if the topic was missing, has another id or more partitions. */
  #topicFound(): void {
    const { log, events } = this.#options;
    const id = log.id() ?? this.#id;
    // Our offsets may exist in the new topic by chance.
    const isAnother = this.#id !== undefined && id !== this.#id;
    this.#id = id;
    if (isAnother || this.#isMissing || this.#hasGrown) this.#isFullReadNeeded = true;
    this.#wasComplete = isAnother ? this.#wasComplete && isAtEnd(this.#fullRead) : this.#isWhole;
    if (this.#isMissing) events.topicsMissing([]);
    this.#isMissing = false;
  }

  /** Only after a look that found the same topic. Without it, records of a new topic may be among those that were read. */
  get #isWhole(): boolean {
    return this.#wasComplete || this.#fullRead?.phase === 'complete';
  }

  get #hasGrown(): boolean {
    return this.#fullRead !== undefined && this.#options.log.leaders().size !== this.#fullRead.goal.size;
  }

  async #startFullRead(): Promise<void> {
    const { log, table, clock, restarted, tombstonesKeptMs } = this.#options;
    const id = this.#id;
    const goal = await log.ends();
    const starts = await log.starts([...goal.keys()]);
    const before = this.#fullRead;
    const isSame = this.#wasSilent && before?.phase === 'complete' && id !== undefined && before.id === id;
    const mayRemove = isSame && !isTruncated(goal, before.reader.positions.all());
    this.#wasSilent = false;
    // The topic may have changed again in the meantime.
    this.#isFullReadNeeded = this.#id !== id || log.leaders().size !== goal.size;
    before?.reader.stop();
    table.beginRead(goal.size);
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
    this.#fullRead = { id, reader, goal, ends: goal, mayRemove, phase: 'incomplete', isDuplicationReported: false };
    restarted();
    this.#progressed();
  }

  #progressed(): void {
    const fullRead = this.#fullRead;
    if (fullRead === undefined) return;
    this.#backoff.reset();
    const isRead = fullRead.reader.positions.hasReached(fullRead.goal);
    if (fullRead.phase !== 'complete' && isRead) this.#completeOrHold(fullRead);
    if (fullRead.phase !== 'complete') return;
    this.#reportDuplication(fullRead);
    this.#options.progressed();
  }

  /** Completes the table if nothing of its last state is missing. Otherwise that state stays in use. */
  #completeOrHold(fullRead: FullRead): void {
    const { topic, table, events } = this.#options;
    table.applyCollected();
    const before = fullRead.phase;
    fullRead.phase = phaseAtEnd({
      isAccepted: table.isAccepted || fullRead.mayRemove,
      isReplaced: !this.#wasComplete && this.#check.isReplaced,
      missing: table.missing.keys.size,
    });
    const isCounted = fullRead.phase !== 'unaccepted' && before !== 'unaccepted';
    const count = { topic, ...(isCounted ? table.refill : { found: table.size, expected: undefined }) };
    if (fullRead.phase !== 'complete') return before === 'incomplete' ? events.configurationsHeld(count) : undefined;
    table.removeMissing();
    this.#complete = this.#mark(fullRead.id);
    if (before !== 'incomplete') events.configurationsReplaced(count);
  }

  #mark(id: string | undefined): LogMark | undefined {
    return id === undefined ? undefined : logMark(this.#options.log.clusterId(), id);
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
      else if (!isTruncated(ends, positions)) return (fullRead.ends = ends);
      else this.#faulted(new TopicTruncatedError(`${this.#options.topic} ends before what was read of it`));
    } catch (error) {
      this.#faulted(error);
    }
    return undefined;
  }
}
