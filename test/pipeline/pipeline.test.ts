import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { Assignment } from '../../src/kafka/consumer/assignment.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { aRecord } from '../support/builders.ts';
import { aRecordContext } from '../support/service/record-context.ts';
import {
  almostTooOldMs,
  aWebhook,
  delivered,
  dueIn,
  maxAgeMs,
  retryRecord,
  startPipeline,
} from './scripted-pipeline.ts';

const failed: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };
const overloaded: Outcome = { kind: 'overloaded', freeInMs: 0 };
const unsubscribed: Outcome = { kind: 'unsubscribed' };
const ours = aRecordContext();

describe('a record', () => {
  it('is delivered to every webhook of its owner that wants its event', async () => {
    const scripted = startPipeline({ webhooks: [aWebhook('a'), aWebhook('b'), aWebhook('c', false)] });
    expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('delivered');
    expect(scripted.attempted.map(({ webhookId }) => webhookId)).toEqual(['a', 'b']);
    expect(scripted.emitted).toEqual(['attempted a delivered', 'attempted b delivered']);
  });

  it('waits for the directory before it is planned', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const scripted = startPipeline({ webhooks: [aWebhook('a')], caughtUp: caughtUp.promise });
    const handled = scripted.pipeline.handleCertificate(aRecord(), ours);
    await scripted.clock.advance(60_000);
    expect(scripted.attempted).toEqual([]);
    caughtUp.resolve();
    expect(await handled).toBe('delivered');
  });

  it('is not unclaimed while the directory is incomplete, but planned again', async () => {
    const webhooks: Webhook[] = [];
    const looks = [false, false, true];
    const isComplete = (): boolean => {
      if (looks.shift() === true) return true;
      if (looks.length === 1) webhooks.push(aWebhook('a'));
      return false;
    };
    const scripted = startPipeline({ webhooks, isComplete });
    expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('delivered');
    expect(looks).toEqual([true]);
  });

  it('is dead-lettered when it is no certificate', async () => {
    const rejection = { reason: 'invalid_record', message: '_id is missing' } as const;
    const scripted = startPipeline({ decoded: { kind: 'rejected', rejection } });
    expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('dead_lettered');
    expect(scripted.written).toEqual(['record invalid_record']);
  });

  it('is settled at once when it is ignored', async () => {
    const scripted = startPipeline({ decoded: { kind: 'ignored', why: 'null_value' } });
    expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('ignored');
    expect(scripted.written).toEqual([]);
  });

  it.each([
    { outcomes: [delivered, failed], result: 'retried' },
    { outcomes: [failed, delivered], result: 'retried' },
    { outcomes: [{ kind: 'unsubscribed' }, delivered], result: 'delivered' },
    { outcomes: [{ kind: 'unsubscribed' }, { kind: 'unsubscribed' }], result: 'unsubscribed' },
    { outcomes: [{ kind: 'paused' }, delivered], result: 'retried' },
  ] satisfies readonly { outcomes: readonly Outcome[]; result: string }[])(
    'comes to $result with the outcomes $outcomes.0.kind and $outcomes.1.kind',
    async ({ outcomes, result }) => {
      const scripted = startPipeline({ webhooks: [aWebhook('a'), aWebhook('b')], outcomes });
      expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe(result);
    },
  );

  it('is not settled before the brokers have its retry', async () => {
    const acknowledged = Promise.withResolvers<void>();
    const { promise } = acknowledged;
    const scripted = startPipeline({ webhooks: [aWebhook('a')], outcomes: [failed], acknowledged: promise });
    let settled = false;
    const handled = scripted.pipeline.handleCertificate(aRecord(), ours).then(() => (settled = true));
    await scripted.clock.advance(60_000);
    expect(settled).toBe(false);
    acknowledged.resolve();
    await handled;
    expect(scripted.written).toEqual(['tier 0 attempt 2']);
  });

  it('is dead-lettered after its other deliveries when our own code throws on one', async () => {
    const acknowledged = Promise.withResolvers<void>();
    const webhooks = [aWebhook('a'), aWebhook('b')];
    const scripted = startPipeline({ webhooks, throwsOn: 'a', outcomes: [failed], acknowledged: acknowledged.promise });
    const handled = scripted.pipeline.handleCertificate(aRecord(), ours);
    await scripted.clock.advance(60_000);
    expect(scripted.written).toEqual([]);
    acknowledged.resolve();
    expect(await handled).toBe('dead_lettered');
    expect(scripted.emitted).toEqual(['attempted b http_error', 'failed']);
    expect(scripted.written).toEqual(['tier 0 attempt 2', 'record internal_error']);
  });

  it('is abandoned when its assignment ends before it is planned', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const scripted = startPipeline({ webhooks: [aWebhook('a')], caughtUp: caughtUp.promise });
    const assignment = new Assignment({});
    const handled = scripted.pipeline.handleCertificate(aRecord(), aRecordContext(assignment));
    assignment.revoke();
    caughtUp.resolve();
    expect(await handled).toBe('abandoned');
    expect(scripted.attempted).toEqual([]);
  });

  it('is not planned before the group has confirmed that its partition is still ours', async () => {
    const confirmation = Promise.withResolvers<void>();
    const scripted = startPipeline({ webhooks: [aWebhook('a')] });
    const assignment = new Assignment({}, { ownershipUnconfirmed: () => confirmation.promise });
    const handled = scripted.pipeline.handleCertificate(aRecord(), aRecordContext(assignment));
    await scripted.clock.advance(60_000);
    expect(scripted.attempted).toEqual([]);
    confirmation.resolve();
    expect(await handled).toBe('delivered');
  });

  it('is not written to a tier while its partition may be owned by another process', async () => {
    let ownershipUnconfirmed: Promise<void> | undefined;
    const assignment = new Assignment({}, { ownershipUnconfirmed: () => ownershipUnconfirmed });
    const onAttempt = (): void => {
      ownershipUnconfirmed = new Promise(() => undefined);
    };
    const scripted = startPipeline({ webhooks: [aWebhook('a')], outcomes: [failed], onAttempt });
    const handled = scripted.pipeline.handleCertificate(aRecord(), aRecordContext(assignment));
    await scripted.clock.advance(60_000);
    expect(scripted.written).toEqual([]);
    assignment.revoke();
    expect(await handled).toBe('abandoned');
    expect(scripted.written).toEqual([]);
  });

  it('is not settled when its retry was not written', async () => {
    const scripted = startPipeline({ webhooks: [aWebhook('a')], outcomes: [failed], refusal: 'abandoned' });
    expect(await scripted.pipeline.handleCertificate(aRecord(), ours)).toBe('abandoned');
    expect(scripted.written).toEqual([]);
  });

  it('is not written to a tier when its assignment has ended, because it is read again', async () => {
    const assignment = new Assignment({});
    const onAttempt = (): void => assignment.revoke();
    const scripted = startPipeline({ webhooks: [aWebhook('a')], outcomes: [{ kind: 'draining' }], onAttempt });
    expect(await scripted.pipeline.handleCertificate(aRecord(), aRecordContext(assignment))).toBe('abandoned');
    expect(scripted.written).toEqual([]);
  });
});

const onceWritten = ['leaves the window', 'written', 'ended'];

describe('a retry', () => {
  it('is abandoned when its partition may be owned by another process', async () => {
    const scripted = startPipeline({});
    const assignment = new Assignment({}, { ownershipUnconfirmed: () => new Promise(() => undefined) });
    const handled = scripted.retry({}, { context: aRecordContext(assignment) });
    await scripted.clock.advance(60_000);
    expect(scripted.attempted).toEqual([]);
    assignment.prepareToRevoke();
    expect(await handled).toBe('abandoned');
  });

  it('is not dropped as unsubscribed while the directory is behind', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const scripted = startPipeline({ outcomes: [{ kind: 'unsubscribed' }, delivered], caughtUp: caughtUp.promise });
    const handled = scripted.retry();
    await scripted.clock.advance(60_000);
    expect(scripted.emitted).toEqual([]);
    caughtUp.resolve();
    expect(await handled).toBe('delivered');
  });

  it('is written to the tier that fits the time left when it is not due', async () => {
    const scripted = startPipeline({});
    expect(await scripted.retry({ deferrals: 1 }, { inMs: 30_000 })).toBe('retried');
    expect(scripted.attempted).toEqual([]);
    expect(scripted.written).toEqual(['tier 0 attempt 2']);
    expect(scripted.emitted).toEqual(['deferred not_due']);
  });

  it('is dead-lettered as too large when the broker refuses it for its size', async () => {
    const scripted = startPipeline({ outcomes: [failed], refusal: 'too_large' });
    expect(await scripted.retry()).toBe('dead_lettered');
    expect(scripted.written).toEqual(['delivery too_large after 2']);
  });

  it('is dead-lettered with the number of attempts that were made, deferrals not counted', async () => {
    const spent = startPipeline({ outcomes: [failed] });
    const old = { attempt: 3, plannedAt: spent.clock.now() - almostTooOldMs };
    await spent.retry(old);
    const deferred = startPipeline({ outcomes: [{ kind: 'circuit_open' }] });
    await deferred.retry(old);
    expect(spent.written).toEqual(['delivery exhausted after 3']);
    expect(deferred.written).toEqual(['delivery expired after 2']);
  });

  it.each([
    { when: 'its attempt failed', outcome: failed, expected: onceWritten },
    { when: 'it has no time left', outcome: failed, ageMs: almostTooOldMs, expected: onceWritten },
    { when: 'its endpoint is overloaded', outcome: overloaded, expected: onceWritten },
    { when: 'it is not due', inMs: 30_000, outcome: delivered, expected: onceWritten },
    { when: 'it was delivered', outcome: delivered, expected: ['ended'] },
    { when: 'it has no subscriber', outcome: unsubscribed, expected: ['ended'] },
  ])('reports $expected when $when', async ({ outcome, inMs = 0, ageMs = 0, expected }) => {
    const calls: string[] = [];
    const scripted = startPipeline({ outcomes: [outcome, outcome], onWrite: () => calls.push('written') });
    const plannedAt = scripted.clock.now() - ageMs;
    await scripted.retry({ plannedAt }, { inMs, context: aRecordContext(undefined, { calls }) });
    expect(calls).toEqual(expected);
  });

  it('is dead-lettered without a request when it is read at an age that is not allowed', async () => {
    const scripted = startPipeline({});
    const oldest = scripted.clock.now() - maxAgeMs;
    expect(await scripted.retry({ plannedAt: oldest })).toBe('delivered');
    expect(await scripted.retry({ plannedAt: oldest - 1 })).toBe('dead_lettered');
    expect(scripted.attempted).toHaveLength(1);
    expect(scripted.written).toEqual(['delivery expired after 1']);
  });

  it.each([
    { when: 'it is read', ageMs: maxAgeMs + 1, inMs: 0 },
    { when: 'it would be due', ageMs: almostTooOldMs, inMs: 30_000 },
  ])('of a removed webhook is no dead letter if it is too old when $when', async ({ ageMs, inMs }) => {
    const scripted = startPipeline({ isRemoved: () => true });
    expect(await scripted.retry({ plannedAt: scripted.clock.now() - ageMs }, { inMs })).toBe('unsubscribed');
    expect(scripted).toMatchObject({ attempted: [], written: [], emitted: ['unsubscribed'] });
  });

  it('that is too old is not dropped as unsubscribed while the directory is behind', async () => {
    const caughtUp = Promise.withResolvers<void>();
    let isRemoved = true;
    const scripted = startPipeline({ isRemoved: () => isRemoved, caughtUp: caughtUp.promise });
    const handled = scripted.retry({ plannedAt: scripted.clock.now() - maxAgeMs - 1 });
    await scripted.clock.advance(60_000);
    expect(scripted).toMatchObject({ written: [], emitted: [] });
    isRemoved = false;
    caughtUp.resolve();
    expect(await handled).toBe('dead_lettered');
    expect(scripted).toMatchObject({ attempted: [], written: ['delivery expired after 1'] });
  });

  it('that is too old is not settled when its partition was lost while the directory was behind', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const assignment = new Assignment({});
    const scripted = startPipeline({ isRemoved: () => true, caughtUp: caughtUp.promise });
    const plannedAt = scripted.clock.now() - maxAgeMs - 1;
    const handled = scripted.retry({ plannedAt }, { context: aRecordContext(assignment) });
    await scripted.clock.advance(1);
    assignment.revoke();
    caughtUp.resolve();
    expect(await handled).toBe('abandoned');
    expect(scripted.emitted).toEqual([]);
  });

  it('is attempted if it reaches that age while it is held until it is due', async () => {
    const scripted = startPipeline({});
    const plannedAt = scripted.clock.now() - almostTooOldMs;
    const stay = dueIn(10_000, scripted.clock);
    await scripted.clock.advance(10_000);
    expect(await scripted.retry({ plannedAt }, { stay })).toBe('delivered');
  });

  it('that can not be read is dead-lettered', async () => {
    const scripted = startPipeline({});
    expect(await scripted.pipeline.handleUnreadable(retryRecord, 'delivery-id is missing', ours)).toBe('dead_lettered');
    await scripted.pipeline.handleUnreadable({ ...retryRecord, headersOmitted: true }, 'too many headers', ours);
    expect(scripted.written).toEqual(['record undecodable', 'record too_large']);
  });
});
