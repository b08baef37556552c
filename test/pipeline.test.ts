import { describe, expect, it } from 'vitest';
import type { Decoded } from '../src/certificates/certificate.ts';
import type { Attempted } from '../src/deliveries/attempts.ts';
import type { Delivery } from '../src/deliveries/delivery.ts';
import type { Outcome } from '../src/deliveries/outcome.ts';
import { Pipeline, type Handoff, type PipelineEvents } from '../src/pipeline.ts';
import type { Webhook } from '../src/webhooks/webhook.ts';
import { aCertificate, aDelivery, aRecord } from './support/builders.ts';
import { ManualClock } from './support/clock.ts';

const delivered: Outcome = { kind: 'delivered', status: 200 };
const failed: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };
const ours = { isOver: false };

describe('a record', () => {
  it('is delivered to every webhook of its owner that wants its event', async () => {
    const parts = start({ webhooks: [aWebhook('a'), aWebhook('b'), aWebhook('c', false)] });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('delivered');
    expect(parts.attempted.map(({ webhookId }) => webhookId)).toEqual(['a', 'b']);
    expect(parts.told).toEqual(['attempted a delivered', 'attempted b delivered']);
  });

  it('waits for the directory before it is planned', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const parts = start({ webhooks: [aWebhook('a')], caughtUp: caughtUp.promise });
    const handled = parts.pipeline.handleCertificate(aRecord(), ours);
    await parts.clock.advance(60_000);
    expect(parts.attempted).toEqual([]);
    caughtUp.resolve();
    expect(await handled).toBe('delivered');
  });

  it('is unclaimed when nobody wants it', async () => {
    const parts = start({ webhooks: [] });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('unclaimed');
  });

  it('is buried when it is no certificate', async () => {
    const rejection = { reason: 'invalid_record', message: '_id is missing' } as const;
    const parts = start({ decoded: { kind: 'rejected', rejection } });
    expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe('dead_lettered');
    expect(parts.written).toEqual(['record invalid_record']);
  });

  it('is settled at once when it is ignored', async () => {
    const parts = start({ decoded: { kind: 'ignored', why: 'null_value' } });
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
      const parts = start({ webhooks: [aWebhook('a'), aWebhook('b')], outcomes });
      expect(await parts.pipeline.handleCertificate(aRecord(), ours)).toBe(result);
    },
  );

  it('is not settled before the brokers have its retry', async () => {
    const acknowledged = Promise.withResolvers<void>();
    const parts = start({ webhooks: [aWebhook('a')], outcomes: [failed], acknowledged: acknowledged.promise });
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
    const parts = start({ webhooks, throwsOn: 'a', outcomes: [failed], acknowledged: acknowledged.promise });
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
    const parts = start({ webhooks: [aWebhook('a')], caughtUp: caughtUp.promise });
    const assignment = { isOver: false };
    const handled = parts.pipeline.handleCertificate(aRecord(), assignment);
    assignment.isOver = true;
    caughtUp.resolve();
    expect(await handled).toBe('abandoned');
    expect(parts.attempted).toEqual([]);
  });

  it('is not written to a tier when its assignment is over: it is read again', async () => {
    const assignment = { isOver: false };
    const parts = start({
      webhooks: [aWebhook('a')],
      outcomes: [{ kind: 'draining' }],
      before: () => (assignment.isOver = true),
    });
    expect(await parts.pipeline.handleCertificate(aRecord(), assignment)).toBe('abandoned');
    expect(parts.written).toEqual([]);
  });
});

describe('a retry', () => {
  const record = aRecord({ topic: 'retry.10s' });

  it('is attempted when it is due', async () => {
    const parts = start({});
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const delivery = aDelivery({ attempt: 2 });
    expect(await parts.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('delivered');
  });

  it('is not let go as unsubscribed by a directory that is behind', async () => {
    const caughtUp = Promise.withResolvers<void>();
    const parts = start({ outcomes: [{ kind: 'unsubscribed' }, delivered], caughtUp: caughtUp.promise });
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const handled = parts.pipeline.handleRetry({ record, delivery: aDelivery({ attempt: 2 }), stay }, ours);
    await parts.clock.advance(60_000);
    expect(parts.told).toEqual([]);
    caughtUp.resolve();
    expect(await handled).toBe('delivered');
  });

  it('moves on to the tier that fits what is left when it is not', async () => {
    const parts = start({});
    const delivery = aDelivery({ attempt: 2, deferrals: 1, plannedAt: parts.clock.now() });
    const stay = { tier: '1m', dueAt: parts.clock.now() + 30_000 };
    expect(await parts.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('retried');
    expect(parts.attempted).toEqual([]);
    expect(parts.written).toEqual(['tier 0 attempt 2']);
    expect(parts.told).toEqual(['deferred not_due']);
  });

  it('is buried as too large when no broker takes it for its size', async () => {
    const parts = start({ outcomes: [failed], refusal: 'too_large' });
    const stay = { tier: '10s', dueAt: parts.clock.now() };
    const delivery = aDelivery({ attempt: 2, plannedAt: parts.clock.now() });
    expect(await parts.pipeline.handleRetry({ record, delivery, stay }, ours)).toBe('dead_lettered');
    expect(parts.written).toEqual(['delivery too_large after 2']);
  });

  it('counts the attempts that were made when it is buried, and not one that was put off', async () => {
    const old = { attempt: 3, plannedAt: 0 };
    const spent = start({ outcomes: [failed] });
    const stay = { tier: '10s', dueAt: spent.clock.now() };
    await spent.pipeline.handleRetry({ record, delivery: aDelivery(old), stay }, ours);
    const deferred = start({ outcomes: [{ kind: 'circuit_open' }] });
    await deferred.pipeline.handleRetry({ record, delivery: aDelivery(old), stay }, ours);
    expect(spent.written).toEqual(['delivery exhausted after 3']);
    expect(deferred.written).toEqual(['delivery expired after 2']);
  });

  it('that can not be read is buried', async () => {
    const parts = start({});
    expect(await parts.pipeline.handleUnreadable(record, 'delivery-id is missing', ours)).toBe('dead_lettered');
    expect(parts.written).toEqual(['record undecodable']);
  });
});

interface Story {
  readonly decoded?: Decoded;
  readonly webhooks?: readonly Webhook[];
  readonly caughtUp?: Promise<void>;
  /** In turn; delivered when there are no more. */
  readonly outcomes?: readonly Outcome[];
  /** The webhook whose attempt throws. */
  readonly throwsOn?: string;
  /** Called as an attempt begins. */
  readonly before?: () => void;
  readonly acknowledged?: Promise<void>;
  readonly refusal?: 'too_large';
}

function start(story: Story) {
  const clock = new ManualClock();
  const attempted: Delivery[] = [];
  const written: string[] = [];
  const told: string[] = [];
  const outcomes = [...(story.outcomes ?? [])];
  const attempt = async (delivery: Delivery): Promise<Attempted> => {
    attempted.push(delivery);
    story.before?.();
    if (delivery.webhookId === story.throwsOn) throw new TypeError('a fault of ours');
    await Promise.resolve();
    return { outcome: outcomes.shift() ?? delivered, startedAt: clock.now() };
  };
  const pipeline = new Pipeline({
    decode: () => story.decoded ?? { kind: 'certificate', certificate: aCertificate() },
    directory: {
      ofOwner: () => story.webhooks ?? [],
      byId: () => undefined,
      caughtUp: async () => story.caughtUp,
    },
    attempts: { attempt },
    handoff: aHandoff(story, written),
    schedule: { delaysMs: [10_000, 60_000], maxAgeMs: 3_600_000 },
    events: listener(told),
    clock,
  });
  return { pipeline, clock, attempted, written, told };
}

function aHandoff({ acknowledged, refusal }: Story, written: string[]): Handoff {
  return {
    schedule: async ({ attempt }, { tier }) => {
      await acknowledged;
      if (refusal !== undefined) return refusal;
      written.push(`tier ${tier} attempt ${attempt}`);
      return 'written';
    },
    buryDelivery: async (_delivery, { reason, attemptsMade }) => {
      written.push(`delivery ${reason} after ${attemptsMade}`);
      return reason;
    },
    buryRecord: async (_record, { reason }) => {
      written.push(`record ${reason}`);
      return reason;
    },
  };
}

function listener(told: string[]): PipelineEvents {
  return {
    recordConsumed: () => undefined,
    recordSettled: () => undefined,
    recordRejected: () => undefined,
    recordFailed: () => void told.push('failed'),
    certificateDeviated: () => undefined,
    deliveryAttempted: ({ delivery, outcome }) => void told.push(`attempted ${delivery.webhookId} ${outcome.kind}`),
    deliveryDeferred: ({ reason }) => void told.push(`deferred ${reason}`),
    deliveryUnsubscribed: () => void told.push('unsubscribed'),
    deliveryBuried: () => undefined,
  };
}

function aWebhook(id: string, wants = true): Webhook {
  return {
    id,
    ownerId: aCertificate().ownerId,
    state: 'active',
    wants: () => wants,
    endpoint: () => {
      throw new Error('nobody asks for it here');
    },
  };
}
