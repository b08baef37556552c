import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { Assignment } from '../../src/kafka/consumer/assignment.ts';
import { aDelivery, aRecord } from '../support/builders.ts';
import { aRecordContext } from '../support/service/record-context.ts';
import { aWebhook, delivered, startPipeline } from '../scripted-pipeline.ts';

const failed: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };
const ours = aRecordContext();

describe('a record', () => {
  it('is delivered to every webhook of its owner that wants its event', async () => {
    const parts = startPipeline({ webhooks: [aWebhook('a'), aWebhook('b'), aWebhook('c', false)] });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('delivered');
    expect(parts.attempted.map(({ webhookId }) => webhookId)).toEqual(['a', 'b']);
    expect(parts.told).toEqual(['attempted a delivered', 'attempted b delivered']);
  });

  it('waits for the directory before it is planned', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const parts = startPipeline({ webhooks: [aWebhook('a')], caughtUp: caughtUp.promise });
    const handled = parts.pipeline.handleCertificate(aRecord(), ours);
    await parts.clock.advance(60_000);
    expect(parts.attempted).toEqual([]);
    expect(parts.pipeline.expected).toBeGreaterThan(0);
    caughtUp.resolve();
    expect(await handled).toBe('delivered');
    expect(parts.pipeline.expected).toBe(0);
  });

  it('is unclaimed when nobody wants it', async () => {
    const parts = startPipeline({ webhooks: [] });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('unclaimed');
  });

  it('is buried when it is no certificate', async () => {
    const rejection = { reason: 'invalid_record', message: '_id is missing' } as const;
    const parts = startPipeline({ decoded: { kind: 'rejected', rejection } });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('dead_lettered');
    expect(parts.written).toEqual(['record invalid_record']);
  });

  it('is settled at once when it is ignored', async () => {
    const parts = startPipeline({ decoded: { kind: 'ignored', why: 'null_value' } });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('ignored');
    expect(parts.written).toEqual([]);
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
      const parts = startPipeline({ webhooks: [aWebhook('a'), aWebhook('b')], outcomes });
      expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe(result);
    },
  );

  it('sets each of its deliveries aside once it is settled, of several', async () => {
    const told: string[] = [];
    const parts = startPipeline({ webhooks: [aWebhook('a'), aWebhook('b')], outcomes: [delivered, failed] });
    await parts.pipeline.handleCertificate(aRecord(), aRecordContext(undefined, told));
    expect(told).toEqual(['becomes 2', 'set aside', 'set aside']);
  });

  it('is not settled before the brokers have its retry', async () => {
    const acknowledged = Promise.withResolvers<void>();
    const parts = startPipeline({ webhooks: [aWebhook('a')], outcomes: [failed], acknowledged: acknowledged.promise });
    let settled = false;
    const handled = parts.pipeline.handleCertificate(aRecord(), ours).then(() => {
      settled = true;
    });
    await parts.clock.advance(60_000);
    expect(settled).toBe(false);
    acknowledged.resolve();
    await handled;
    expect(parts.written).toEqual(['tier 0 attempt 2']);
  });

  it('is buried when our own code throws on it, once its other deliveries are through', async () => {
    const acknowledged = Promise.withResolvers<void>();
    const webhooks = [aWebhook('a'), aWebhook('b')];
    const parts = startPipeline({ webhooks, throwsOn: 'a', outcomes: [failed], acknowledged: acknowledged.promise });
    const handled = parts.pipeline.handleCertificate(aRecord(), ours);
    await parts.clock.advance(60_000);
    expect(parts.written).toEqual([]);
    acknowledged.resolve();
    expect(await handled).toBe('dead_lettered');
    expect(parts.told).toEqual(['attempted b http_error', 'failed']);
    expect(parts.written).toEqual(['tier 0 attempt 2', 'record internal_error']);
  });

  it('is left to who has the partition now when the assignment is over before it is planned', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const parts = startPipeline({ webhooks: [aWebhook('a')], caughtUp: caughtUp.promise });
    const assignment = new Assignment({});
    const handled = parts.pipeline.handleCertificate(aRecord(), aRecordContext(assignment));
    assignment.end();
    caughtUp.resolve();
    expect(await handled).toBe('abandoned');
    expect(parts.attempted).toEqual([]);
  });

  it('is not begun before the group has said that its partition is still ours', async () => {
    const word = Promise.withResolvers<void>();
    const parts = startPipeline({ webhooks: [aWebhook('a')] });
    const handled = parts.pipeline.handleCertificate(
      aRecord(),
      aRecordContext(new Assignment({}, { doubt: () => word.promise })),
    );
    await parts.clock.advance(60_000);
    expect(parts.attempted).toEqual([]);
    word.resolve();
    expect(await handled).toBe('delivered');
  });

  it('is not written to a tier while its partition may be another’s', async () => {
    let doubt: Promise<void> | undefined;
    const assignment = new Assignment({}, { doubt: () => doubt });
    const before = (): void => {
      doubt = new Promise(() => undefined);
    };
    const parts = startPipeline({ webhooks: [aWebhook('a')], outcomes: [failed], before });
    const handled = parts.pipeline.handleCertificate(aRecord(), aRecordContext(assignment));
    await parts.clock.advance(60_000);
    expect(parts.written).toEqual([]);
    assignment.end();
    expect(await handled).toBe('abandoned');
    expect(parts.written).toEqual([]);
  });

  it('is not settled when its retry is no longer written', async () => {
    const parts = startPipeline({ webhooks: [aWebhook('a')], outcomes: [failed], refusal: 'abandoned' });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('abandoned');
    expect(parts.written).toEqual([]);
  });

  it('is not written to a tier when its assignment is over: it is read again', async () => {
    const assignment = new Assignment({});
    const parts = startPipeline({
      webhooks: [aWebhook('a')],
      outcomes: [{ kind: 'draining' }],
      before: () => assignment.end(),
    });
    expect(await parts.pipeline.handleCertificate(aRecord(), aRecordContext(assignment))).toBe('abandoned');
    expect(parts.written).toEqual([]);
  });
});

describe('a retry', () => {
  const record = aRecord({ topic: 'retry.10s' });

  it('is left to who has the partition now when that may be another', async () => {
    const parts = startPipeline({});
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const assignment = new Assignment({}, { doubt: () => new Promise(() => undefined) });
    const handled = parts.pipeline.handleRetry({ record, delivery: aDelivery(), stay }, aRecordContext(assignment));
    await parts.clock.advance(60_000);
    expect(parts.attempted).toEqual([]);
    assignment.leave();
    expect(await handled).toBe('abandoned');
  });

  it('is attempted when it is due', async () => {
    const parts = startPipeline({});
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const delivery = aDelivery({ attempt: 2 });
    expect(await parts.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('delivered');
  });

  it('is not let go as unsubscribed by a directory that is behind', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const parts = startPipeline({ outcomes: [{ kind: 'unsubscribed' }, delivered], caughtUp: caughtUp.promise });
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const handled = parts.pipeline.handleRetry({ record, delivery: aDelivery({ attempt: 2 }), stay }, ours);
    await parts.clock.advance(60_000);
    expect(parts.told).toEqual([]);
    caughtUp.resolve();
    expect(await handled).toBe('delivered');
  });

  it('moves on to the tier that fits what is left when it is not', async () => {
    const parts = startPipeline({});
    const delivery = aDelivery({ attempt: 2, deferrals: 1, plannedAt: parts.clock.now() });
    const stay = { tier: '1m', dueAt: parts.clock.now() + 30_000 };
    expect(await parts.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('retried');
    expect(parts.attempted).toEqual([]);
    expect(parts.written).toEqual(['tier 0 attempt 2']);
    expect(parts.told).toEqual(['deferred not_due']);
  });

  it('is buried as too large when no broker takes it for its size', async () => {
    const parts = startPipeline({ outcomes: [failed], refusal: 'too_large' });
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const delivery = aDelivery({ attempt: 2, plannedAt: parts.clock.now() });
    expect(await parts.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('dead_lettered');
    expect(parts.written).toEqual(['delivery too_large after 2']);
  });

  it('counts the attempts that were made when it is buried, and not one that was put off', async () => {
    const old = { attempt: 3, plannedAt: 0 };
    const spent = startPipeline({ outcomes: [failed] });
    const stay = { tier: '10s', dueAt: spent.clock.now() };
    await spent.pipeline.handleRetry({ record, delivery: aDelivery(old), stay }, ours);
    const deferred = startPipeline({ outcomes: [{ kind: 'circuit_open' }] });
    await deferred.pipeline.handleRetry({ record, delivery: aDelivery(old), stay }, ours);
    expect(spent.written).toEqual(['delivery exhausted after 3']);
    expect(deferred.written).toEqual(['delivery expired after 2']);
  });

  it('that can not be read is buried', async () => {
    const parts = startPipeline({});
    expect(await parts.pipeline.handleUnreadable(record, 'delivery-id is missing', ours)).toBe('dead_lettered');
    expect(parts.written).toEqual(['record undecodable']);
  });
});
