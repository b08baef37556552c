import { describe, expect, it } from 'vitest';
import type { OffsetCommit } from '../../../../src/kafka/client/consumer.ts';
import { createGroupStates, type RepairHooks } from '../../../../src/kafka/kafkajs/group-state.ts';
import type { ConsumerGroup, Runner } from '../../../../src/kafka/kafkajs/internals.ts';
import { joinOnce } from '../../../../src/kafka/kafkajs/repairs/join-once.ts';
import { ManualClock } from '../../../support/time/manual-clock.ts';
import { brokerError, networkError, scriptedCluster, scriptedGroup, scriptedRunner } from '../scripted.ts';

/** A group that records its joins and barriers, and whose joins fail with the test's `answers`. */
class JoiningMember {
  readonly calls: string[] = [];
  readonly clock = new ManualClock();
  readonly stateOf = createGroupStates();
  readonly group: ConsumerGroup;
  readonly runner: Runner;
  readonly hooks: RepairHooks = {
    beforeRejoin: async ({ kicked }) => {
      this.calls.push(`barrier${kicked ? ' after a kick' : ''}`);
      await this.barrier;
    },
    isLeaving: () => this.isLeaving,
    awaitedByGroup: () => void this.calls.push('awaited'),
    offsetReset: () => undefined,
    takeBatch: () => undefined,
  };
  isLeaving = false;
  barrier: Promise<void> = Promise.resolve();
  readonly answers: Error[] = [];

  constructor(script: Partial<ConsumerGroup> = {}) {
    this.group = scriptedGroup({
      cluster: scriptedCluster({}, this.hooks),
      joinAndSync: async () => {
        this.calls.push('join');
        const error = this.answers.shift();
        if (error !== undefined) throw error;
      },
      ...script,
    });
    this.runner = scriptedRunner(this.group);
    joinOnce({ consumerGroup: this.group, runner: this.runner }, this.stateOf, this.clock);
  }
}

describe('member a group', () => {
  it('happens once for all fetchers that request it', async () => {
    const { group, calls } = new JoiningMember();
    await Promise.all([group.joinAndSync(), group.joinAndSync(), group.joinAndSync()]);
    expect(calls).toEqual(['barrier', 'join']);
    await group.joinAndSync();
    expect(calls).toEqual(['barrier', 'join', 'barrier', 'join']);
  });

  it('waits for the barrier', async () => {
    const member = new JoiningMember();
    const barrier = Promise.withResolvers<void>();
    member.barrier = barrier.promise;
    const joined = member.group.joinAndSync();
    await member.clock.advance(60_000);
    expect(member.calls).toEqual(['barrier']);
    barrier.resolve();
    await joined;
    expect(member.calls).toEqual(['barrier', 'join']);
  });

  it.each([
    {
      memberId: 'member',
      answer: brokerError('REBALANCE_IN_PROGRESS'),
      calls: ['heartbeat', 'awaited', 'heartbeat', 'awaited', 'heartbeat', 'awaited'],
    },
    { memberId: 'member', answer: brokerError('UNKNOWN_MEMBER_ID'), calls: ['heartbeat'] },
    { memberId: null, answer: brokerError('UNKNOWN_MEMBER_ID'), calls: [] },
  ])('keeps the session of $memberId by heartbeats during the barrier: $calls', async ({ memberId, answer, calls }) => {
    const member = new JoiningMember({
      memberId,
      heartbeat: async () => {
        member.calls.push('heartbeat');
        throw answer;
      },
    });
    const barrier = Promise.withResolvers<void>();
    member.barrier = barrier.promise;
    const joined = member.group.joinAndSync();
    await member.clock.advance(10_000);
    barrier.resolve();
    await joined;
    await member.clock.advance(10_000);
    expect(member.calls.slice(1)).toEqual([...calls, 'join']);
  });

  it('forgets the answer to a heartbeat of the barrier that comes during the join', async () => {
    const member: JoiningMember = new JoiningMember({
      joinAndSync: async () => {
        member.stateOf(member.group).rejoin = brokerError('REBALANCE_IN_PROGRESS');
      },
    });
    await member.group.joinAndSync();
    expect(member.stateOf(member.group).rejoin).toBeUndefined();
  });

  it('informs the barrier when the group has removed the member', async () => {
    const { group, calls } = new JoiningMember({ memberId: null });
    await group.joinAndSync();
    expect(calls).toEqual(['barrier after a kick', 'join']);
  });

  it('gives the consumer a commit under the current generation', async () => {
    const commits: OffsetCommit[] = [];
    const { group, hooks } = new JoiningMember({
      offsetManager: Object.create(null),
      commitOffsets: async (offsets) => void commits.push(offsets),
    });
    await group.joinAndSync();
    const offsets = { topics: [{ topic: 'a', partitions: [{ partition: 0, offset: '1', metadata: 'w1:' }] }] };
    await hooks.commit?.(offsets);
    expect(commits).toEqual([offsets]);
  });

  it('does not set the commit when the consumer was stopped during the barrier', async () => {
    const member = new JoiningMember();
    const barrier = Promise.withResolvers<void>();
    member.barrier = barrier.promise;
    const joined = member.group.joinAndSync();
    await member.runner.stop();
    const successorCommit = async (): Promise<void> => undefined;
    member.hooks.commit = successorCommit;
    barrier.resolve();
    await joined;
    expect(member.hooks.commit).toBe(successorCommit);
  });

  it('is left out by a member that leaves, which keeps its generation until then', async () => {
    const member = new JoiningMember();
    member.isLeaving = true;
    member.stateOf(member.group).rejoin = brokerError('REBALANCE_IN_PROGRESS');
    const stayed = member.group.joinAndSync();
    await member.clock.advance(1000);
    await stayed;
    expect(member.calls).toEqual(['awaited']);
    expect(member.stateOf(member.group).rejoin).toBeUndefined();
  });

  it('is left out at once when the consumer stops', async () => {
    const member = new JoiningMember();
    member.isLeaving = true;
    const stayed = member.group.joinAndSync();
    await member.runner.stop();
    await member.clock.advance(250);
    await stayed;
    expect(member.calls).toEqual([]);
  });

  it('is left out by a member that begins to leave during the barrier', async () => {
    const member = new JoiningMember();
    const barrier = Promise.withResolvers<void>();
    member.barrier = barrier.promise;
    const joined = member.group.joinAndSync();
    member.isLeaving = true;
    barrier.resolve();
    await member.clock.advance(1000);
    await joined;
    expect(member.calls).toEqual(['barrier']);
  });

  it('is left out by a removed member that leaves, but the barrier is told', async () => {
    const member = new JoiningMember({ memberId: null });
    member.isLeaving = true;
    const stayed = member.group.joinAndSync();
    await member.clock.advance(1000);
    await stayed;
    expect(member.calls).toEqual(['barrier after a kick']);
  });

  it('refuses a commit while there is no generation yet', async () => {
    const { group, hooks } = new JoiningMember({ offsetManager: null });
    await group.joinAndSync();
    await expect(hooks.commit?.({ topics: [] })).rejects.toMatchObject({ type: 'UNKNOWN_MEMBER_ID' });
  });

  it.each(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION'])('follows a commit that is refused with %s', async (type) => {
    const { group, hooks, stateOf } = new JoiningMember({
      offsetManager: Object.create(null),
      commitOffsets: async () => {
        throw brokerError(type);
      },
    });
    await group.joinAndSync();
    await expect(hooks.commit?.({ topics: [] })).rejects.toMatchObject({ type });
    expect(stateOf(group).rejoin).toMatchObject({ type });
  });

  it.each([
    { what: 'fails for another reason', error: brokerError('REBALANCE_IN_PROGRESS') },
    { what: 'is refused under an earlier generation', error: brokerError('ILLEGAL_GENERATION'), generationId: 2 },
  ])('does not follow a commit that $what', async ({ error, generationId = 1 }) => {
    const member = new JoiningMember({
      offsetManager: Object.create(null),
      commitOffsets: async () => {
        Object.assign(member.group, { generationId });
        throw error;
      },
    });
    await member.group.joinAndSync();
    await expect(member.hooks.commit?.({ topics: [] })).rejects.toBe(error);
    expect(member.stateOf(member.group).rejoin).toBeUndefined();
  });

  it('is repeated while the coordinator loads the group or can’t be reached', async () => {
    const { group, answers, clock, calls } = new JoiningMember();
    answers.push(brokerError('GROUP_LOAD_IN_PROGRESS'), networkError());
    const joined = group.joinAndSync();
    await clock.advance(250);
    expect(calls).toEqual(['barrier', 'join', 'join']);
    await clock.advance(500);
    await joined;
    expect(calls).toEqual(['barrier', 'join', 'join', 'join']);
  });

  it('fails at once for any other reason', async () => {
    const { group, answers, calls } = new JoiningMember();
    answers.push(brokerError('GROUP_AUTHORIZATION_FAILED'));
    await expect(group.joinAndSync()).rejects.toThrow('KafkaJSProtocolError');
    expect(calls).toEqual(['barrier', 'join']);
  });

  it('fails after a minute in a way that makes kafkajs join again', async () => {
    const { group, answers, clock, stateOf } = new JoiningMember();
    answers.push(...Array.from({ length: 100 }, networkError));
    const [joined] = await Promise.allSettled([group.joinAndSync(), clock.advance(70_000)]);
    expect(joined).toMatchObject({ status: 'rejected', reason: { name: 'JoinFailedError' } });
    expect(stateOf(group).rejoin).toMatchObject({ type: 'REBALANCE_IN_PROGRESS', cause: { message: /Closed/v } });
  });

  it('is not repeated once the consumer stops', async () => {
    const { group, runner, answers, clock } = new JoiningMember();
    answers.push(networkError(), networkError(), networkError());
    const joined = Promise.allSettled([group.joinAndSync()]);
    await runner.stop();
    await clock.advance(250);
    expect(await joined).toMatchObject([{ reason: { name: 'KafkaJSConnectionClosedError' } }]);
    expect(clock.pending).toBe(0);
  });
});
