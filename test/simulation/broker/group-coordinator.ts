import type { Clock } from '../../../src/lib/clock.ts';
import { BrokerError } from './errors.ts';

export interface CommittedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

export interface JoinRequest {
  /** Empty for a new member. */
  readonly memberId: string;
  readonly metadata: Buffer;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

export interface JoinAnswer {
  readonly memberId: string;
  readonly generation: number;
  readonly leaderId: string;
  /** For the leader alone. */
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

export interface Membership {
  readonly memberId: string;
  readonly generation: number;
}

interface Member {
  readonly id: string;
  metadata: Buffer;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  session: Disposable | undefined;
  joining: PromiseWithResolvers<JoinAnswer> | undefined;
  syncing: PromiseWithResolvers<Buffer> | undefined;
  assignment: Buffer;
}

/** A group's members and offsets, by the rules of Kafka's classic protocol. */
export class GroupCoordinator {
  readonly #clock: Clock;
  readonly #told: (offsets: readonly CommittedOffset[]) => void;
  readonly #members = new Map<string, Member>();
  readonly #offsets = new Map<string, CommittedOffset>();
  #state: 'empty' | 'joining' | 'syncing' | 'stable' = 'empty';
  #generation = 0;
  #leaderId = '';
  #named = 0;
  #rebalance: Disposable | undefined;

  constructor(clock: Clock, told: (offsets: readonly CommittedOffset[]) => void) {
    this.#clock = clock;
    this.#told = told;
  }

  /** Undefined without a commit. */
  committed(topic: string, partition: number): CommittedOffset | undefined {
    return this.#offsets.get(`${topic}/${partition}`);
  }

  /** Resolves once all members have joined, or those that have not are dropped. */
  join({ memberId, metadata, sessionTimeoutMs, rebalanceTimeoutMs }: JoinRequest): Promise<JoinAnswer> {
    const member = memberId === '' ? this.#welcome() : this.#known(memberId);
    Object.assign(member, { metadata, sessionTimeoutMs, rebalanceTimeoutMs });
    member.session?.[Symbol.dispose]();
    member.joining ??= Promise.withResolvers();
    const { promise } = member.joining;
    if (this.#state !== 'joining') this.#prepareRebalance();
    this.#completeJoin();
    return promise;
  }

  /** The leader brings what each member gets; the others wait for it. */
  sync(who: Membership, assignments: ReadonlyMap<string, Buffer>): Promise<Buffer> {
    const member = this.#current(who);
    if (this.#state === 'joining') throw new BrokerError('REBALANCE_IN_PROGRESS');
    this.#touch(member);
    if (this.#state === 'stable') return Promise.resolve(member.assignment);
    member.syncing = Promise.withResolvers();
    const { promise } = member.syncing;
    if (member.id === this.#leaderId) this.#assign(assignments);
    return promise;
  }

  heartbeat(who: Membership): void {
    const member = this.#current(who);
    this.#touch(member);
    if (this.#state === 'joining') throw new BrokerError('REBALANCE_IN_PROGRESS');
  }

  /** Taken while others join already; not while the new generation has begun. */
  commit(who: Membership, offsets: readonly CommittedOffset[]): void {
    const member = this.#current(who);
    if (this.#state === 'syncing') throw new BrokerError('REBALANCE_IN_PROGRESS');
    this.#touch(member);
    for (const offset of offsets) this.#offsets.set(`${offset.topic}/${offset.partition}`, offset);
    this.#told(offsets);
  }

  leave(memberId: string): void {
    this.#drop(this.#known(memberId));
  }

  #welcome(): Member {
    this.#named += 1;
    const member: Member = {
      id: `member-${this.#named}`,
      metadata: Buffer.alloc(0),
      sessionTimeoutMs: 0,
      rebalanceTimeoutMs: 0,
      session: undefined,
      joining: undefined,
      syncing: undefined,
      assignment: Buffer.alloc(0),
    };
    this.#members.set(member.id, member);
    return member;
  }

  #known(memberId: string): Member {
    const member = this.#members.get(memberId);
    if (member === undefined) throw new BrokerError('UNKNOWN_MEMBER_ID');
    return member;
  }

  #current({ memberId, generation }: Membership): Member {
    const member = this.#known(memberId);
    if (generation !== this.#generation) throw new BrokerError('ILLEGAL_GENERATION');
    return member;
  }

  /** A member that waits for the others to join is not asked for a sign of life. */
  #touch(member: Member): void {
    member.session?.[Symbol.dispose]();
    member.session = this.#clock.after(member.sessionTimeoutMs, () => this.#drop(member));
  }

  #drop(member: Member): void {
    if (this.#members.get(member.id) !== member) return;
    this.#members.delete(member.id);
    member.session?.[Symbol.dispose]();
    member.joining?.reject(new BrokerError('UNKNOWN_MEMBER_ID'));
    member.syncing?.reject(new BrokerError('UNKNOWN_MEMBER_ID'));
    if (this.#state === 'stable' || this.#state === 'syncing') this.#prepareRebalance();
    this.#completeJoin();
  }

  #prepareRebalance(): void {
    this.#state = 'joining';
    for (const member of this.#members.values()) {
      member.syncing?.reject(new BrokerError('REBALANCE_IN_PROGRESS'));
      member.syncing = undefined;
    }
    const patienceMs = Math.max(0, ...[...this.#members.values()].map(({ rebalanceTimeoutMs }) => rebalanceTimeoutMs));
    this.#rebalance?.[Symbol.dispose]();
    this.#rebalance = this.#clock.after(patienceMs, () => this.#dropAbsent());
  }

  #dropAbsent(): void {
    for (const member of this.#members.values()) if (member.joining === undefined) this.#drop(member);
  }

  #completeJoin(): void {
    const members = [...this.#members.values()];
    if (this.#state !== 'joining' || members.some(({ joining }) => joining === undefined)) return;
    this.#rebalance?.[Symbol.dispose]();
    this.#generation += 1;
    this.#state = members.length === 0 ? 'empty' : 'syncing';
    if (!this.#members.has(this.#leaderId)) this.#leaderId = members[0]?.id ?? '';
    for (const member of members) this.#answerJoin(member);
  }

  #answerJoin(member: Member): void {
    const { id, joining } = member;
    const isLeader = id === this.#leaderId;
    const described = [...this.#members.values()].map((one) => ({ memberId: one.id, memberMetadata: one.metadata }));
    member.joining = undefined;
    this.#touch(member);
    joining?.resolve({
      memberId: id,
      generation: this.#generation,
      leaderId: this.#leaderId,
      members: isLeader ? described : [],
    });
  }

  #assign(assignments: ReadonlyMap<string, Buffer>): void {
    this.#state = 'stable';
    for (const member of this.#members.values()) {
      member.assignment = assignments.get(member.id) ?? Buffer.alloc(0);
      member.syncing?.resolve(member.assignment);
      member.syncing = undefined;
    }
  }
}
