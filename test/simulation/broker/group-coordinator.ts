import type { Clock } from '../../../src/lib/clock.ts';
import { BrokerError } from './errors.ts';

export interface CommittedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

interface JoinRequest {
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
  /** Empty unless this member is the leader. */
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

interface GroupMembership {
  readonly memberId: string;
  readonly generation: number;
}

interface Member {
  readonly id: string;
  metadata: Buffer;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  sessionTimer: Disposable | undefined;
  joining: PromiseWithResolvers<JoinAnswer> | undefined;
  syncing: PromiseWithResolvers<Buffer> | undefined;
  assignment: Buffer;
}

/** A group at one moment, for tools that show it. */
interface GroupDescription {
  readonly state: GroupState;
  readonly members: readonly Pick<Member, 'id' | 'metadata' | 'assignment'>[];
}

type GroupState = 'empty' | 'joining' | 'syncing' | 'stable';

/**
 * The members and committed offsets of one consumer group, by the rules of Kafka's classic group protocol.
 *
 * | State     | Left when                                                   |
 * | --------- | ----------------------------------------------------------- |
 * | `empty`   | a member joins → `joining`                                  |
 * | `joining` | all members have joined → `syncing`, or `empty` without any |
 * | `syncing` | the leader sends the assignments → `stable`                 |
 * | `stable`  | a member joins, leaves or is dropped → `joining`            |
 *
 * - A heartbeat during `joining` fails with `REBALANCE_IN_PROGRESS`: the member has to join again.
 * - A commit is accepted during `joining`, so that members can commit before they rejoin. During `syncing` it fails.
 * - The generation grows each time `joining` ends. A request with another generation fails with `ILLEGAL_GENERATION`.
 * - A request of a dropped member fails with `UNKNOWN_MEMBER_ID`.
 *
 * A member is dropped after its session timeout without a request. Otherwise a killed process would keep its
 * partitions. During a rebalance, members that do not rejoin within the group's longest rebalance timeout are dropped.
 * Otherwise one unresponsive process would block every rebalance.
 *
 * Committed offsets are kept for the whole run. Every commit is passed to `onCommit` after it is stored.
 */
export class GroupCoordinator {
  readonly #clock: Clock;
  readonly #onCommit: (offsets: readonly CommittedOffset[]) => void;
  readonly #members = new Map<string, Member>();
  readonly #offsets = new Map<string, CommittedOffset>();
  #state: GroupState = 'empty';
  #generation = 0;
  #leaderId = '';
  #membersCreated = 0;
  #rebalanceTimer: Disposable | undefined;

  constructor(clock: Clock, onCommit: (offsets: readonly CommittedOffset[]) => void) {
    this.#clock = clock;
    this.#onCommit = onCommit;
  }

  /** Returns the last commit of a partition, or undefined if there is none. */
  committed(topic: string, partition: number): CommittedOffset | undefined {
    return this.#offsets.get(`${topic}/${partition}`);
  }

  /** Returns the last commit of every partition. */
  commits(): readonly CommittedOffset[] {
    return [...this.#offsets.values()];
  }

  describe(): GroupDescription {
    return { state: this.#state, members: [...this.#members.values()] };
  }

  /** Drops the commits in a topic, as Kafka does when the topic is deleted. */
  forgetTopic(topic: string): void {
    for (const commit of this.commits())
      if (commit.topic === topic) this.#offsets.delete(`${topic}/${commit.partition}`);
  }

  /** Resolves once every member has joined. Members that do not join in time are dropped. */
  join({ memberId, metadata, sessionTimeoutMs, rebalanceTimeoutMs }: JoinRequest): Promise<JoinAnswer> {
    const member = memberId === '' ? this.#addMember() : this.#memberById(memberId);
    Object.assign(member, { metadata, sessionTimeoutMs, rebalanceTimeoutMs });
    member.sessionTimer?.[Symbol.dispose]();
    member.joining ??= Promise.withResolvers();
    const { promise } = member.joining;
    if (this.#state !== 'joining') this.#prepareRebalance();
    this.#completeJoin();
    return promise;
  }

  /** Resolves to the member's assignment. The leader passes the assignments of all; the others wait for it. */
  sync(membership: GroupMembership, assignments: ReadonlyMap<string, Buffer>): Promise<Buffer> {
    const member = this.#currentMember(membership);
    if (this.#state === 'joining') throw new BrokerError('REBALANCE_IN_PROGRESS');
    this.#restartSession(member);
    if (this.#state === 'stable') return Promise.resolve(member.assignment);
    member.syncing = Promise.withResolvers();
    const { promise } = member.syncing;
    if (member.id === this.#leaderId) this.#assign(assignments);
    return promise;
  }

  heartbeat(membership: GroupMembership): void {
    const member = this.#currentMember(membership);
    this.#restartSession(member);
    if (this.#state === 'joining') throw new BrokerError('REBALANCE_IN_PROGRESS');
  }

  /** Accepted while a rebalance collects its members, refused between that and the new assignments. */
  commit(membership: GroupMembership, offsets: readonly CommittedOffset[]): void {
    const member = this.#currentMember(membership);
    if (this.#state === 'syncing') throw new BrokerError('REBALANCE_IN_PROGRESS');
    this.#restartSession(member);
    this.#store(offsets);
  }

  /** Stores the commit of a client that is no member. Refused while the group has members. */
  commitWithoutMember(offsets: readonly CommittedOffset[]): void {
    if (this.#members.size > 0) throw new BrokerError('UNKNOWN_MEMBER_ID');
    this.#store(offsets);
  }

  leave(memberId: string): void {
    this.#removeMember(this.#memberById(memberId));
  }

  #store(offsets: readonly CommittedOffset[]): void {
    for (const offset of offsets) this.#offsets.set(`${offset.topic}/${offset.partition}`, offset);
    this.#onCommit(offsets);
  }

  #addMember(): Member {
    this.#membersCreated += 1;
    const member: Member = {
      id: `member-${this.#membersCreated}`,
      metadata: Buffer.alloc(0),
      sessionTimeoutMs: 0,
      rebalanceTimeoutMs: 0,
      sessionTimer: undefined,
      joining: undefined,
      syncing: undefined,
      assignment: Buffer.alloc(0),
    };
    this.#members.set(member.id, member);
    return member;
  }

  #memberById(memberId: string): Member {
    const member = this.#members.get(memberId);
    if (member === undefined) throw new BrokerError('UNKNOWN_MEMBER_ID');
    return member;
  }

  #currentMember({ memberId, generation }: GroupMembership): Member {
    const member = this.#memberById(memberId);
    if (generation !== this.#generation) throw new BrokerError('ILLEGAL_GENERATION');
    return member;
  }

  /** `join` stops the timer: a member that waits for the others cannot send heartbeats. */
  #restartSession(member: Member): void {
    member.sessionTimer?.[Symbol.dispose]();
    member.sessionTimer = this.#clock.after(member.sessionTimeoutMs, () => this.#removeMember(member));
  }

  #removeMember(member: Member): void {
    if (this.#members.get(member.id) !== member) return;
    this.#members.delete(member.id);
    member.sessionTimer?.[Symbol.dispose]();
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
    const timeoutMs = Math.max(0, ...[...this.#members.values()].map(({ rebalanceTimeoutMs }) => rebalanceTimeoutMs));
    this.#rebalanceTimer?.[Symbol.dispose]();
    this.#rebalanceTimer = this.#clock.after(timeoutMs, () => this.#removeAbsentMembers());
  }

  #removeAbsentMembers(): void {
    for (const member of this.#members.values()) if (member.joining === undefined) this.#removeMember(member);
  }

  #completeJoin(): void {
    const members = [...this.#members.values()];
    if (this.#state !== 'joining' || members.some(({ joining }) => joining === undefined)) return;
    this.#rebalanceTimer?.[Symbol.dispose]();
    this.#generation += 1;
    this.#state = members.length === 0 ? 'empty' : 'syncing';
    if (!this.#members.has(this.#leaderId)) this.#leaderId = members[0]?.id ?? '';
    for (const member of members) this.#answerJoin(member);
  }

  #answerJoin(member: Member): void {
    const { id, joining } = member;
    const isLeader = id === this.#leaderId;
    const memberList = [...this.#members.values()].map((one) => ({ memberId: one.id, memberMetadata: one.metadata }));
    member.joining = undefined;
    this.#restartSession(member);
    joining?.resolve({
      memberId: id,
      generation: this.#generation,
      leaderId: this.#leaderId,
      members: isLeader ? memberList : [],
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
