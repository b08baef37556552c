import { AssignerProtocol, type Assigner } from 'kafkajs';
import { sleep } from '../../../src/lib/clock.ts';
import type { OffsetCommit } from '../../../src/kafka/kafkajs/internals.ts';
import type { ConsumerHooks } from '../../../src/kafka/kafkajs/hooks.ts';
import type { MemoryBroker } from './memory-broker.ts';
import { BrokerError, ConnectionLostError, isRejoinError } from './errors.ts';
import type { JoinAnswer } from './group-coordinator.ts';
import type { Wire } from './broker-connection.ts';

export type Assigned = Readonly<Record<string, readonly number[]>>;

export interface MemberOptions {
  readonly broker: MemoryBroker;
  readonly wire: Wire;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly assigner: Assigner;
  readonly hooks: ConsumerHooks | undefined;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** The coordinator has taken one. */
  readonly heartbeatTaken: (afterMs: number) => void;
}

const retryMs = 250;
/** Longer than that without a coordinator, and the consumer is begun anew. */
const patienceMs = 60_000;

/** A consumer's side of its membership, as the repaired kafkajs has it: one life, from the first join to the leave. */
export class GroupMember {
  readonly #options: MemberOptions;
  #id = '';
  /** Zero before the first join. */
  #generation = 0;
  #heartbeatAt = 0;
  /** Since when the coordinator is looked for. */
  #lostAt: number | undefined;
  #isOver = false;

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  get id(): string {
    return this.#id;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Its requests are no longer tried again. */
  end(): void {
    this.#isOver = true;
  }

  /** Resolves to what it is assigned. A member that has joined before gives up its partitions first. */
  async join(): Promise<Assigned> {
    const { hooks, wire } = this.#options;
    if (this.#generation > 0) await hooks?.beforeRejoin({ kicked: this.#id === '' });
    if (hooks !== undefined && !this.#isOver) hooks.commit = (offsets) => this.#commit(offsets);
    const giveUpAt = wire.clock.now() + patienceMs;
    while (true) {
      try {
        return await this.#joinAndSync();
      } catch (error) {
        if (this.#isOver || !this.#isWorthARetry(error, giveUpAt)) throw error;
      }
      await sleep(wire.clock, retryMs);
    }
  }

  /** If it is time for one. Throws what makes it necessary to join again. */
  async heartbeat(): Promise<void> {
    const { wire, broker, groupId, heartbeatIntervalMs, heartbeatTaken } = this.#options;
    const now = wire.clock.now();
    if (this.#lostAt !== undefined || now < this.#heartbeatAt + heartbeatIntervalMs) return;
    this.#heartbeatAt = now;
    const who = this.#membership();
    try {
      await wire.request({ kind: 'heartbeat', groupId }, () => broker.group(groupId).heartbeat(who));
      heartbeatTaken(wire.clock.now() - now);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      void this.#search();
    }
  }

  /** The group has dropped us: the next join is a new member's. */
  forget(): void {
    this.#id = '';
  }

  async leave(): Promise<void> {
    const { wire, broker, groupId } = this.#options;
    const id = this.#id;
    this.#isOver = true;
    if (id === '') return;
    this.#id = '';
    await wire.request({ kind: 'leave', groupId }, () => broker.group(groupId).leave(id));
  }

  #membership(): { readonly memberId: string; readonly generation: number } {
    return { memberId: this.#id, generation: this.#generation };
  }

  #isWorthARetry(error: unknown, giveUpAt: number): boolean {
    if (error instanceof BrokerError && error.type === 'UNKNOWN_MEMBER_ID') this.forget();
    if (isRejoinError(error)) return true;
    return error instanceof ConnectionLostError && this.#options.wire.clock.now() < giveUpAt;
  }

  async #joinAndSync(): Promise<Assigned> {
    const { wire, broker, groupId, topics, assigner, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options;
    const { metadata } = assigner.protocol({ topics: [...topics] });
    const request = { memberId: this.#id, metadata, sessionTimeoutMs, rebalanceTimeoutMs };
    const joined = await wire.request({ kind: 'join', groupId }, () => broker.group(groupId).join(request));
    this.#id = joined.memberId;
    this.#generation = joined.generation;
    const who = this.#membership();
    const assignments = await this.#deal(joined);
    const ours = await wire.request({ kind: 'sync', groupId }, () => broker.group(groupId).sync(who, assignments));
    this.#heartbeatAt = wire.clock.now();
    return AssignerProtocol.MemberAssignment.decode(ours)?.assignment ?? {};
  }

  async #deal({ leaderId, members }: JoinAnswer): Promise<ReadonlyMap<string, Buffer>> {
    if (leaderId !== this.#id) return new Map();
    const { assigner, topics } = this.#options;
    const dealt = await assigner.assign({ members: [...members], topics: [...topics] });
    return new Map(dealt.map(({ memberId, memberAssignment }) => [memberId, memberAssignment]));
  }

  async #commit({ topics }: OffsetCommit): Promise<void> {
    const { wire, broker, groupId } = this.#options;
    if (this.#lostAt !== undefined) throw new BrokerError('GROUP_COORDINATOR_NOT_AVAILABLE');
    const who = this.#membership();
    const offsets = topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset, metadata }) => ({
        topic,
        partition,
        offset: Number(offset),
        metadata: metadata ?? '',
      })),
    );
    try {
      await wire.request({ kind: 'commit', groupId }, () => broker.group(groupId).commit(who, offsets));
    } catch (error) {
      if (error instanceof ConnectionLostError) void this.#search();
      throw error;
    }
  }

  /** Until the coordinator answers again; the membership is kept meanwhile. */
  async #search(): Promise<void> {
    if (this.#lostAt !== undefined) return;
    const { wire } = this.#options;
    this.#lostAt = wire.clock.now();
    while (!this.#isOver && this.#lostAt !== undefined) {
      await sleep(wire.clock, retryMs);
      try {
        await wire.request({ kind: 'metadata' }, () => undefined);
        this.#lostAt = undefined;
      } catch {
        // It is asked again.
      }
    }
  }
}
