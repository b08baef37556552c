import type { Consumer } from 'kafkajs';
import type { Clock } from '../../lib/clock.ts';
import { isExpulsion } from '../kafkajs/faults.ts';

export interface GroupMembershipOptions {
  readonly consumer: Pick<Consumer, 'on' | 'events'>;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
}

/** What a consumer can tell of its place in the group without asking. */
export class GroupMembership {
  readonly #options: GroupMembershipOptions;
  #lastActivityAt: number;
  /** Of one that was answered, until it is known that the group has taken it. */
  #heartbeatSentAt: number | undefined;
  /** From then on the group waits a session for the next heartbeat, at least. */
  #confirmedAt: number;
  #confirmed = Promise.withResolvers<void>();

  constructor(options: GroupMembershipOptions) {
    this.#options = options;
    const now = options.clock.now();
    this.#lastActivityAt = now;
    this.#confirmedAt = now;
    this.#listen();
  }

  /** Epoch milliseconds of the last thing the client did, whatever that was. */
  get lastActivityAt(): number {
    return this.#lastActivityAt;
  }

  /**
   * Undefined while the group counts on us. When no heartbeat was taken for a session, it may have given our partitions
   * to others: a promise that resolves once it has taken one, or has let us join again.
   */
  get ownershipUnconfirmed(): Promise<void> | undefined {
    const { clock, sessionTimeoutMs } = this.#options;
    return clock.now() - this.#confirmedAt < sessionTimeoutMs ? undefined : this.#confirmed.promise;
  }

  /** What the coordinator said to a commit. Where it does not know us, the session is over sooner than time tells. */
  commitRefused(error: unknown): void {
    if (isExpulsion(error)) this.#confirmedAt = Number.NEGATIVE_INFINITY;
  }

  #listen(): void {
    const { consumer, clock } = this.#options;
    const { FETCH_START, HEARTBEAT, CONNECT, GROUP_JOIN, CRASH, REQUEST } = consumer.events;
    const sign = (): void => {
      this.#lastActivityAt = clock.now();
    };
    for (const event of [FETCH_START, HEARTBEAT, CONNECT, GROUP_JOIN, CRASH]) consumer.on(event, sign);
    // An answer may come long after the broker has given it.
    consumer.on(REQUEST, ({ payload: { apiName, duration } }) => {
      if (apiName === 'Heartbeat') this.#heartbeatSentAt = clock.now() - duration;
    });
    consumer.on(HEARTBEAT, () => this.#confirm(this.#heartbeatSentAt ?? clock.now()));
    consumer.on(GROUP_JOIN, () => this.#confirm(clock.now()));
  }

  #confirm(at: number): void {
    this.#confirmedAt = at;
    this.#heartbeatSentAt = undefined;
    if (this.ownershipUnconfirmed !== undefined) return;
    this.#confirmed.resolve();
    this.#confirmed = Promise.withResolvers();
  }
}
