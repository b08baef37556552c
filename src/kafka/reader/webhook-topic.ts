import { withoutHeaders, type Offsets, type TopicLog } from '../client/topic-log.ts';
import type { Kafka } from '../client/kafka.ts';
import { within, type MonotonicClock } from '../../lib/clock.ts';
import type { LogMark } from '../consumer/commits/commit-metadata.ts';
import { fetchTombstonesKeptMs } from '../topics/topic-admin.ts';
import { CatchUp } from './catch-up.ts';
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
