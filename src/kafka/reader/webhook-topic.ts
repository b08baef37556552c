import { withoutHeaders, type Offsets, type TopicLog } from '../client/topic-log.ts';
import type { Kafka } from '../client/kafka.ts';
import { within, type MonotonicClock, sleep } from '../../lib/clock.ts';
import type { LogMark } from '../consumer/commits/commit-metadata.ts';
import { fetchTombstonesKeptMs } from '../topics/topic-admin.ts';
import type { FollowingStatus } from './following-status.ts';
import type { IsReplaced } from './replacement-check.ts';
import { TopicFollower, type TopicFollowerEvents } from './topic-follower.ts';
import { TopicTable, type Table } from './topic-table.ts';

export interface WebhookTopicOptions {
  /** A client with the purpose `reading`. */
  readonly kafka: Kafka;
  readonly topic: string;
  readonly table: Table;
  readonly events: TopicFollowerEvents;
  readonly clock: MonotonicClock;
  /** Without it, the first read counts as it stands. */
  readonly isReplaced?: IsReplaced;
}

/** The topic is no longer read, so the table can't catch up with it. */
export class WebhookTopicClosedError extends Error {
  override readonly name = 'WebhookTopicClosedError';
}

/** Longest time in ms that disposal waits for a broker that does not answer. */
const closeTimeoutMs = 2_000;

/** Starts reading the topic into the table. Returns at once, even if Kafka can't be reached or the topic does not exist. */
export function startWebhookTopic(options: WebhookTopicOptions): WebhookTopic {
  return new WebhookTopic(options, options.kafka.openLog(options.topic, withoutHeaders));
}

/**
 * Keeps a table of webhook configurations up to date with their topic. Owns the parts that do the work, and connects them:
 *
 * | Part            | Work                                                                            |
 * | --------------- | ------------------------------------------------------------------------------- |
 * | `TopicLog`      | Fetches records and ends from Kafka, without a consumer group.                  |
 * | `TopicFollower` | Keeps reading through faults, and reads again from the start where necessary.   |
 * | `TopicTable`    | Applies records to the table, which belongs to the caller.                      |
 * | `CatchUp`       | Lets callers wait until the table holds everything that the topic holds now.    |
 *
 * Callers: the service waits for `caughtUp` at its start, and the pipeline before each plan. The pipeline looks at
 * `isComplete` before it settles a record as unclaimed. Readiness and metrics read `status`.
 *
 * Promises:
 * - While the topic is missing, unreachable or not filled again, the table keeps its last complete
 *   state, and `caughtUp` waits.
 * - `caughtUp` resolves only after the table includes every configuration that was written before the call. It waits while
 *   that is not known, so that a certificate is never planned with old webhooks.
 * - Disposal rejects all callers before it closes the connections, and takes 2 s at most.
 */
export class WebhookTopic implements AsyncDisposable {
  readonly #topic: string;
  readonly #table: Table;
  readonly #clock: MonotonicClock;
  readonly #log: TopicLog;
  readonly #catchUp: CatchUp;
  readonly #follower: TopicFollower;

  constructor({ kafka, topic, table, events, clock, isReplaced }: WebhookTopicOptions, log: TopicLog) {
    this.#topic = topic;
    this.#table = table;
    this.#clock = clock;
    this.#log = log;
    this.#follower = new TopicFollower({
      topic,
      log,
      table: new TopicTable(table),
      events,
      clock,
      isReplaced,
      tombstonesKeptMs: () => fetchTombstonesKeptMs(kafka, topic),
      progressed: () => this.#catchUp.progressed(),
      restarted: () => this.#catchUp.restarted(),
    });
    this.#catchUp = new CatchUp({
      ask: () => this.#follower.askEnds(),
      hasReached: (ends) => this.#hasReached(ends),
      clock,
    });
  }

  status(): FollowingStatus {
    return this.#follower.status();
  }

  /** Returns the monotonic time at which the oldest present step of the reading began. */
  lastActivityAt(): number {
    return this.#follower.lastActivityAt();
  }

  /** The topic that was last read completely. Undefined before that, and if the brokers do not report ids. */
  get complete(): LogMark | undefined {
    return this.#follower.complete;
  }

  /** Rejects only with `WebhookTopicClosedError`. An added partition is known after 1 s at most. */
  caughtUp(): Promise<void> {
    return this.#catchUp.caughtUp();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new WebhookTopicClosedError(`${this.#topic} is no longer read`);
    this.#catchUp.close(reason);
    const closed = this.#follower[Symbol.asyncDispose]().then(() => this.#log[Symbol.asyncDispose]());
    await within(this.#clock, closeTimeoutMs, closed);
  }

  /** Returns false while the topic is read again, not filled again, or holds documents that can't be read yet. */
  isComplete(): boolean {
    return this.#hasReached(new Map());
  }

  #hasReached(ends: Offsets): boolean {
    return this.#follower.hasReached(ends) && (this.#table.holding ?? 0) === 0;
  }
}

type Ends = ReadonlyMap<number, number>;
type Waiters = PromiseWithResolvers<void>;

interface CatchUpOptions {
  /** Asks for the end of each partition until Kafka answers. Resolves to undefined once the topic is no longer read. */
  readonly ask: () => Promise<Ends | undefined>;
  /** Returns true if the reader has applied all records below these ends. */
  readonly hasReached: (ends: Ends) => boolean;
  readonly clock: MonotonicClock;
}

/**
 * Limits in ms of the pause between two requests, which lasts as long as the last request took. A nearby broker is asked
 * again soon, because a record waits for it. A busy broker, or a busy process, is not asked a thousand times a second.
 */
const shortestSpacingMs = 1;
const longestSpacingMs = 5;

/**
 * The barrier of the webhook directory. A certificate is planned only after the directory holds all configurations that were
 * written before the certificate was read. Owns the callers that wait, and the request that asks where the topic ends.
 *
 * A caller goes through these states:
 *
 * ```
 *   caughtUp()                 request sent                 ends received                  hasReached(ends)
 *  ───────────▶ next request ──────────────▶ in flight ────────────────────▶ pending ends ─────────────────▶ resolved
 *                    ▲                          │                                │
 *                    │                          │          restarted()           │
 *                    └──────────────────────────┴────────────────────────────────┘
 *
 *   close() rejects callers in every state, and later ones.
 * ```
 *
 * Promises:
 * - A call resolves only after an end that was asked for later than the call is reached. A call during a request therefore
 *   waits for the next one, because the answer may be older than a configuration that must be included.
 * - One request is in flight at a time, for all callers that wait for it. With a second one, p99 of this step beside
 *   unresponsive endpoints was 10.9 instead of 9.7 ms.
 * - All records of one fetch share a request, because the first one waits for the end of the event loop's turn.
 * - After `restarted`, earlier ends mean nothing, because the topic may be another one. New ends are requested for their
 *   callers. Otherwise they might wait for an offset that never comes, or pass too early.
 */
export class CatchUp {
  readonly #options: CatchUpOptions;
  /** Shared by all callers of the next request. */
  #nextWaiters: Waiters | undefined;
  #isAsking = false;
  /** Ends that are not reached, in the order of their requests. The first one is reached first. */
  #pending: { readonly ends: Ends; readonly waiters: Waiters }[] = [];
  /** Increased by `restarted`. An answer to a request of an earlier epoch is ignored. */
  #epoch = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  readonly #closing = new AbortController();
  #closed: Error | undefined;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** Resolves once the reader has reached an end that was asked for after this call. Rejects only when closed. */
  caughtUp(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#nextWaiters ??= Promise.withResolvers();
    const { promise } = this.#nextWaiters;
    if (!this.#isAsking) void this.#ask();
    return promise;
  }

  /** Resolves the callers whose ends the reader has reached. Called after each progress of the reader. */
  progressed(): void {
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      if (!this.#options.hasReached(first.ends)) return;
      this.#pending.shift();
      first.waiters.resolve();
    }
  }

  /** Asks again for all callers that wait. Called when the reader starts at the beginning of the topic again. */
  restarted(): void {
    this.#epoch += 1;
    const pending = this.#pending;
    this.#pending = [];
    for (const { waiters } of pending) this.#postpone(waiters);
  }

  close(reason: Error): void {
    this.#closed = reason;
    this.#closing.abort();
    this.#nextWaiters?.reject(reason);
    for (const { waiters } of this.#pending) waiters.reject(reason);
    this.#pending = [];
  }

  async #ask(): Promise<void> {
    const { ask, clock } = this.#options;
    this.#isAsking = true;
    // The records of one fetch are handed out in one turn of the event loop. Their calls share the request.
    await sleep(clock, 0, this.#closing.signal);
    while (this.#nextWaiters !== undefined) {
      await this.#pace();
      if (this.#closing.signal.aborted) break;
      const waiters = this.#nextWaiters;
      this.#nextWaiters = undefined;
      const epoch = this.#epoch;
      const askedAt = clock.monotonic();
      const ends = await ask();
      this.#answeredAt = clock.monotonic();
      this.#tookMs = this.#answeredAt - askedAt;
      if (this.#closed !== undefined) waiters.reject(this.#closed);
      else if (ends === undefined || epoch !== this.#epoch) this.#postpone(waiters);
      else this.#pending.push({ ends, waiters });
      this.progressed();
    }
    this.#isAsking = false;
  }

  async #pace(): Promise<void> {
    const { clock } = this.#options;
    const spacingMs = Math.min(Math.max(this.#tookMs, shortestSpacingMs), longestSpacingMs);
    const waitMs = this.#answeredAt + spacingMs - clock.monotonic();
    if (waitMs > 0) await sleep(clock, waitMs, this.#closing.signal);
  }

  #postpone(waiters: Waiters): void {
    if (this.#nextWaiters === undefined) this.#nextWaiters = waiters;
    else this.#nextWaiters.promise.then(waiters.resolve, waiters.reject);
    if (!this.#isAsking) void this.#ask();
  }
}
