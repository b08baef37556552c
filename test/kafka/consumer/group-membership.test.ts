import { EventEmitter } from 'node:events';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { GroupMembership, type GroupMembershipOptions } from '../../../src/kafka/consumer/group-membership.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

const sessionTimeoutMs = 6000;

function start() {
  const clock = new ManualClock();
  const emitter = new EventEmitter();
  const { events } = new Kafka({ brokers: ['none:9092'], logLevel: logLevel.NOTHING }).consumer({ groupId: 'group' });
  const on = (name: string, listener: (event: unknown) => void) => {
    emitter.on(name, listener);
    return () => emitter.off(name, listener);
  };
  const consumer = { events, on } as GroupMembershipOptions['consumer'];
  const membership = new GroupMembership({ consumer, sessionTimeoutMs, clock });
  const tell = (name: string, payload: object = {}): boolean => emitter.emit(name, { payload });
  return {
    clock,
    membership,
    joined: () => tell(events.GROUP_JOIN),
    fetched: () => tell(events.FETCH_START),
    /** The broker's answer comes now; it is an error where nothing is said of a heartbeat. */
    answered: (sentAt: number, apiName = 'Heartbeat') =>
      tell(events.REQUEST, { apiName, duration: clock.now() - sentAt }),
    taken: () => tell(events.HEARTBEAT),
  };
}

describe('the membership in a group', () => {
  it('is in ownershipUnconfirmed once no heartbeat was taken for a session', async () => {
    const { clock, membership, fetched } = start();
    await clock.advance(sessionTimeoutMs - 1);
    fetched();
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    await clock.advance(1);
    expect(membership.ownershipUnconfirmed).toBeDefined();
  });

  it('is counted from when the heartbeat was sent that was taken', async () => {
    const { clock, membership, answered, taken } = start();
    const sentAt = clock.now();
    await clock.advance(sessionTimeoutMs - 1);
    answered(sentAt);
    // Of something else, and of a heartbeat that the group did not take.
    answered(clock.now(), 'Fetch');
    taken();
    answered(clock.now());
    await clock.advance(1);
    expect(membership.ownershipUnconfirmed).toBeDefined();
  });

  it('is in ownershipUnconfirmed until the group takes a heartbeat', async () => {
    const { clock, membership, answered, taken } = start();
    await clock.advance(sessionTimeoutMs);
    const { ownershipUnconfirmed } = membership;
    answered(clock.now());
    taken();
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    await ownershipUnconfirmed;
  });

  it('is counted from when a heartbeat was taken that nobody saw being sent', async () => {
    const { clock, membership, taken } = start();
    await clock.advance(sessionTimeoutMs - 1);
    taken();
    await clock.advance(sessionTimeoutMs - 1);
    expect(membership.ownershipUnconfirmed).toBeUndefined();
  });

  it('is beyond ownershipUnconfirmed after a join', async () => {
    const { clock, membership, joined } = start();
    await clock.advance(sessionTimeoutMs);
    const { ownershipUnconfirmed } = membership;
    joined();
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    await ownershipUnconfirmed;
  });

  it('is in ownershipUnconfirmed as soon as a commit is refused to who is no member, until the next heartbeat is taken', async () => {
    const { clock, membership, answered, taken } = start();
    membership.commitRefused(Object.assign(new Error('wait'), { type: 'REBALANCE_IN_PROGRESS' }));
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    membership.commitRefused(Object.assign(new Error('who?'), { type: 'UNKNOWN_MEMBER_ID' }));
    expect(membership.ownershipUnconfirmed).toBeDefined();
    answered(clock.now());
    taken();
    expect(membership.ownershipUnconfirmed).toBeUndefined();
  });

  it('shows signs of context also while it is in ownershipUnconfirmed', async () => {
    const { clock, membership, fetched } = start();
    await clock.advance(2 * sessionTimeoutMs);
    fetched();
    expect(membership.lastActivityAt).toBe(clock.now());
  });
});
