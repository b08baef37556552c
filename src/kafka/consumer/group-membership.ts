import type { MonotonicClock } from '../../lib/clock.ts';
import { isExpulsion } from '../client/faults.ts';

export interface GroupMembershipOptions {
  readonly sessionTimeoutMs: number;
  readonly clock: MonotonicClock;
}

/**
 * The membership of one consumer in its group, derived from the events of its client. Sends no request itself. Owns
 * the time of the last activity, and of the last heartbeat that the group accepted.
 *
 * - confirmed → unconfirmed: no heartbeat accepted for one session timeout, counted from when the last one was sent; or a
 *   commit refused because the group does not know this member.
 * - unconfirmed → confirmed: a heartbeat accepted that was sent less than a session timeout ago, or a join.
 *
 * `GroupConsumer` creates it with its client, and reports failed commits. The contexts of records ask for
 * `ownershipUnconfirmed` before a delivery starts or a retry is written. Liveness reads `lastActivityAt`.
 *
 * Deliveries and retries start only while the membership is confirmed. Otherwise records read before an outage of all
 * brokers would be delivered twice: here, and by their next owner.
 *
 * - The time counts from when a heartbeat was sent. Its answer may be old: it may have been in a socket buffer while the
 *   process was suspended.
 * - A refused commit counts, because it may be the first answer after an outage: before the first heartbeat.
 */
export class GroupMembership {
  readonly #options: GroupMembershipOptions;
  #lastActivityAt: number;
  /** Time at which an answered heartbeat was sent, until the client says that the group accepted it. */
  #heartbeatSentAt: number | undefined;
  /** Time of the last confirmation. The group keeps the partitions for at least one session timeout after it. */
  #confirmedAt: number;
  #confirmed = Promise.withResolvers<void>();

  constructor(options: GroupMembershipOptions) {
    this.#options = options;
    const now = options.clock.monotonic();
    this.#lastActivityAt = now;
    this.#confirmedAt = now;
  }

  /** The monotonic time of the last event of the client. */
  get lastActivityAt(): number {
    return this.#lastActivityAt;
  }

  /** Undefined while confirmed. Otherwise a promise that resolves with the next confirmation. */
  get ownershipUnconfirmed(): Promise<void> | undefined {
    const { clock, sessionTimeoutMs } = this.#options;
    return clock.monotonic() - this.#confirmedAt < sessionTimeoutMs ? undefined : this.#confirmed.promise;
  }

  /** Takes a sign of life of the client. */
  active(): void {
    this.#lastActivityAt = this.#options.clock.monotonic();
  }

  /** Takes the answer to a heartbeat. It may be read long after the broker sent it, so the time of the request counts. */
  heartbeatAnswered(afterMs: number): void {
    this.#heartbeatSentAt = this.#options.clock.monotonic() - afterMs;
  }

  joined(): void {
    this.#confirm(this.#options.clock.monotonic());
  }

  /** Takes an accepted heartbeat. Also one whose answer shows the membership, although the client takes it for an error. */
  accepted(): void {
    this.#confirm(this.#heartbeatSentAt ?? this.#options.clock.monotonic());
  }

  /** Takes the error of a commit. An expulsion shows that the session is over, whatever the time says. */
  commitFailed(error: unknown): void {
    if (isExpulsion(error)) this.#confirmedAt = Number.NEGATIVE_INFINITY;
  }

  #confirm(at: number): void {
    this.#confirmedAt = at;
    this.#heartbeatSentAt = undefined;
    if (this.ownershipUnconfirmed !== undefined) return;
    this.#confirmed.resolve();
    this.#confirmed = Promise.withResolvers();
  }
}
