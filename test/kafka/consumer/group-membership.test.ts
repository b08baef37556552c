import { EventEmitter } from 'node:events';
import { Kafka, logLevel, type Consumer } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { GroupMembership } from '../../../src/kafka/consumer/group-membership.ts';
import { relayEvents } from '../../../src/kafka/kafkajs/create-consumer.ts';
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
  const membership = new GroupMembership({ sessionTimeoutMs, clock });
  relayEvents({ events, on } as Pick<Consumer, 'events' | 'on'>, {
    active: () => membership.active(),
    heartbeatAnswered: (afterMs) => membership.heartbeatAnswered(afterMs),
    heartbeatAccepted: () => membership.accepted(),
    joined: () => membership.joined(),
    crashed: () => undefined,
  });
  const emit = (name: string, payload: object = {}): boolean => emitter.emit(name, { payload });
  return {
    clock,
    membership,
    joined: () => emit(events.GROUP_JOIN),
    fetched: () => emit(events.FETCH_START),
    /** The broker answers now. Without `accepted` after it, the answer to a heartbeat was an error. */
    answered: (sentAt: number, apiName = 'Heartbeat') =>
      emit(events.REQUEST, { apiName, duration: clock.monotonic() - sentAt }),
    accepted: () => emit(events.HEARTBEAT),
  };
}

describe('GroupMembership', () => {
  it('is unconfirmed once no heartbeat was accepted for a session timeout', async () => {
    const { clock, membership, fetched } = start();
    await clock.advance(sessionTimeoutMs - 1);
    fetched();
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    await clock.advance(1);
    expect(membership.ownershipUnconfirmed).toBeDefined();
  });

  it('counts the session from when the accepted heartbeat was sent', async () => {
    const { clock, membership, answered, accepted } = start();
    const sentAt = clock.monotonic();
    await clock.advance(sessionTimeoutMs - 1);
    answered(sentAt);
    // Neither another request counts, nor a heartbeat that the group did not accept.
    answered(clock.monotonic(), 'Fetch');
    accepted();
    answered(clock.monotonic());
    await clock.advance(1);
    expect(membership.ownershipUnconfirmed).toBeDefined();
    const confirmed = membership.ownershipUnconfirmed?.then(() => 'confirmed');
    answered(sentAt);
    accepted();
    expect(await Promise.race([confirmed, clock.advance(1).then(() => 'unconfirmed')])).toBe('unconfirmed');
  });

  it('counts the session from the acceptance if the request was not seen', async () => {
    const { clock, membership, accepted } = start();
    await clock.advance(sessionTimeoutMs - 1);
    accepted();
    await clock.advance(sessionTimeoutMs - 1);
    expect(membership.ownershipUnconfirmed).toBeUndefined();
  });

  it.each(['accepts a heartbeat', 'is joined'])('stays unconfirmed until the group %s', async (how) => {
    const { clock, membership, answered, accepted, joined } = start();
    await clock.advance(sessionTimeoutMs);
    const { ownershipUnconfirmed } = membership;
    if (how === 'accepts a heartbeat') answered(clock.monotonic());
    void (how === 'is joined' ? joined() : accepted());
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    await ownershipUnconfirmed;
  });

  it('is unconfirmed from a commit refused for an unknown member until the next accepted heartbeat', async () => {
    const { clock, membership, answered, accepted } = start();
    membership.commitFailed(Object.assign(new Error('wait'), { type: 'REBALANCE_IN_PROGRESS' }));
    expect(membership.ownershipUnconfirmed).toBeUndefined();
    membership.commitFailed(Object.assign(new Error('who?'), { type: 'UNKNOWN_MEMBER_ID' }));
    expect(membership.ownershipUnconfirmed).toBeDefined();
    answered(clock.monotonic());
    accepted();
    expect(membership.ownershipUnconfirmed).toBeUndefined();
  });

  it('reports activity while it is unconfirmed', async () => {
    const { clock, membership, fetched } = start();
    await clock.advance(2 * sessionTimeoutMs);
    fetched();
    expect(membership.lastActivityAt).toBe(clock.monotonic());
  });
});
