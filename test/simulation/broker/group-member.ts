import { AssignerProtocol, type Assigner } from 'kafkajs';
import type { OffsetCommit } from '../../../src/kafka/client/consumer.ts';
import type { RepairHooks } from '../../../src/kafka/kafkajs/group-state.ts';
import { sleep } from '../../../src/lib/clock.ts';
import type { MemoryBroker } from './memory-broker.ts';
import { isExpulsion } from '../../../src/kafka/client/faults.ts';
import { BrokerError, ConnectionLostError, isRejoinError } from './errors.ts';
import type { CommittedOffset, JoinAnswer } from './group-coordinator.ts';
import type { BrokerConnection } from './broker-connection.ts';

/** The partitions of each topic. */
export type TopicAssignment = Readonly<Record<string, readonly number[]>>;

interface MemberOptions {
  readonly broker: MemoryBroker;
  readonly connection: BrokerConnection;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly assignor: Assigner;
  readonly hooks: RepairHooks;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** Called for each heartbeat that the coordinator accepted. */
  readonly onHeartbeat: (afterMs: number) => void;
}

interface Membership {
  readonly memberId: string;
  readonly generation: number;
}

const retryMs = 250;
/** The pause of a leaving member between two heartbeats. */
const stayMs = 250;
/** A join that fails for longer than this is an error of the consumer, which then restarts. */
const joinTimeoutMs = 60_000;

/**
 * The membership of one consumer in its group, from the first join to the leave. Behaves as the repaired kafkajs does.
 *
 * Owns the member id, the generation and the search for a lost coordinator. `MemoryConsumer` creates one per start.
 *
 * - `join` retries after errors that another join can solve. Before a rejoin it calls the hook `beforeRejoin`, which
 *   lets the service give up its partitions first.
 * - `heartbeat` throws an error if the member has to join again. A lost connection is no such error: the member
 *   searches for the coordinator and keeps its membership.
 * - During that search no heartbeats are sent and commits fail.
 * - After `end` no request is retried. After `leave` the member is unusable.
 */
export class GroupMember {
  readonly #options: MemberOptions;
  #id = '';
  /** Zero before the first join. */
  #generation = 0;
  #heartbeatAt = 0;
  /** Defined while the coordinator is searched for. */
  #coordinatorLostAt: number | undefined;
  /** The answer to a commit that makes another join necessary. */
  #refusal: BrokerError | undefined;
  #hasEnded = false;

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  get id(): string {
    return this.#id;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Stops all retries. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Returns true once the service drains, to leave the group afterwards. */
  get isLeaving(): boolean {
    return this.#generation > 0 && this.#options.hooks.isLeaving?.() === true;
  }

  /** Keeps the generation of a leaving member, although the group rebalances. */
  async stay(error: BrokerError): Promise<void> {
    const { hooks, connection } = this.#options;
    if (this.#id === '') await hooks.beforeRejoin({ kicked: true });
    else if (error.type === 'REBALANCE_IN_PROGRESS') hooks.awaitedByGroup?.();
    await sleep(connection.clock, stayMs);
  }

  /** Resolves to the assigned partitions. */
  async join(): Promise<TopicAssignment> {
    const { hooks, connection } = this.#options;
    if (this.#generation > 0) await this.#passBarrier();
    if (!this.#hasEnded) hooks.commit = (offsets) => this.#commit(offsets);
    const giveUpAt = connection.clock.monotonic() + joinTimeoutMs;
    while (true) {
      try {
        return await this.#joinAndSync();
      } catch (error) {
        if (this.#hasEnded || !this.#canRetry(error, giveUpAt)) throw error;
      }
      await sleep(connection.clock, retryMs);
    }
  }

  /** Keeps the membership by heartbeats until the service has given up its partitions. */
  async #passBarrier(): Promise<void> {
    const { hooks } = this.#options;
    const passed = new AbortController();
    const barrier = hooks.beforeRejoin({ kicked: this.#id === '' }).finally(() => passed.abort());
    if (this.#id !== '') await this.#keepMembership(passed.signal);
    await barrier;
  }

  async #keepMembership(signal: AbortSignal): Promise<void> {
    const { hooks, connection, heartbeatIntervalMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.heartbeat();
      } catch (error) {
        if (!(error instanceof BrokerError && error.type === 'REBALANCE_IN_PROGRESS')) return;
        hooks.awaitedByGroup?.();
      }
      await sleep(connection.clock, heartbeatIntervalMs, signal);
    }
  }

  /** Sends a heartbeat if one is due. Throws the error that makes another join necessary. */
  async heartbeat(): Promise<void> {
    const { connection, broker, groupId, heartbeatIntervalMs, onHeartbeat } = this.#options;
    if (this.#refusal !== undefined) throw this.#refusal;
    const now = connection.clock.monotonic();
    if (this.#coordinatorLostAt !== undefined || now < this.#heartbeatAt + heartbeatIntervalMs) return;
    this.#heartbeatAt = now;
    const membership = this.#membership();
    try {
      await connection.request({ kind: 'heartbeat', groupId }, () => broker.group(groupId).heartbeat(membership));
      onHeartbeat(connection.clock.monotonic() - now);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      void this.#findCoordinator();
    }
  }

  /** Called once the group has dropped the member: the next join is that of a new member. */
  forget(): void {
    this.#id = '';
  }

  async leave(): Promise<void> {
    const { connection, broker, groupId } = this.#options;
    const id = this.#id;
    this.#hasEnded = true;
    if (id === '') return;
    this.#id = '';
    await connection.request({ kind: 'leave', groupId }, () => broker.group(groupId).leave(id));
  }

  #membership(): Membership {
    return { memberId: this.#id, generation: this.#generation };
  }

  #canRetry(error: unknown, giveUpAt: number): boolean {
    if (error instanceof BrokerError && error.type === 'UNKNOWN_MEMBER_ID') this.forget();
    if (isRejoinError(error)) return true;
    return error instanceof ConnectionLostError && this.#options.connection.clock.monotonic() < giveUpAt;
  }

  async #joinAndSync(): Promise<TopicAssignment> {
    const { connection, broker, groupId, topics, assignor, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options;
    const { metadata } = assignor.protocol({ topics: [...topics] });
    const request = { memberId: this.#id, metadata, sessionTimeoutMs, rebalanceTimeoutMs };
    const joined = await connection.request({ kind: 'join', groupId }, () => broker.group(groupId).join(request));
    this.#id = joined.memberId;
    this.#generation = joined.generation;
    this.#refusal = undefined;
    const membership = this.#membership();
    const assignments = await this.#assignPartitions(joined);
    const ours = await connection.request({ kind: 'sync', groupId }, () =>
      broker.group(groupId).sync(membership, assignments),
    );
    this.#heartbeatAt = connection.clock.monotonic();
    return AssignerProtocol.MemberAssignment.decode(ours)?.assignment ?? {};
  }

  async #assignPartitions({ leaderId, members }: JoinAnswer): Promise<ReadonlyMap<string, Buffer>> {
    if (leaderId !== this.#id) return new Map();
    const { assignor, topics } = this.#options;
    const assignments = await assignor.assign({ members: [...members], topics: [...topics] });
    return new Map(assignments.map(({ memberId, memberAssignment }) => [memberId, memberAssignment]));
  }

  async #commit(offsets: OffsetCommit): Promise<void> {
    const { connection, broker, groupId } = this.#options;
    if (this.#coordinatorLostAt !== undefined) throw new BrokerError('GROUP_COORDINATOR_NOT_AVAILABLE');
    const membership = this.#membership();
    const committed = committedOffsets(offsets);
    try {
      await connection.request({ kind: 'commit', groupId }, () => broker.group(groupId).commit(membership, committed));
    } catch (error) {
      if (error instanceof ConnectionLostError) void this.#findCoordinator();
      else this.#noteRefusal(error, membership);
      throw error;
    }
  }

  #noteRefusal(error: unknown, { memberId, generation }: Membership): void {
    const isCurrent = memberId === this.#id && generation === this.#generation;
    if (isCurrent && error instanceof BrokerError && isExpulsion(error)) this.#refusal = error;
  }

  /** Asks for the coordinator until it answers. The membership is kept. */
  async #findCoordinator(): Promise<void> {
    if (this.#coordinatorLostAt !== undefined) return;
    const { connection } = this.#options;
    this.#coordinatorLostAt = connection.clock.monotonic();
    while (!this.#hasEnded && this.#coordinatorLostAt !== undefined) {
      await sleep(connection.clock, retryMs);
      try {
        await connection.request({ kind: 'metadata' }, () => undefined);
        this.#coordinatorLostAt = undefined;
      } catch {
        // The next round asks again.
      }
    }
  }
}

/** Returns the offsets of a request as the coordinator keeps them. */
export function committedOffsets({ topics }: OffsetCommit): readonly CommittedOffset[] {
  return topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset, metadata }) => ({
      topic,
      partition,
      offset: Number(offset),
      metadata: metadata ?? '',
    })),
  );
}
