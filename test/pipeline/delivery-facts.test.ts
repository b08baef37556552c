import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/deliveries/delivery.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import type { Settlement } from '../../src/deliveries/settle.ts';
import {
  attemptFacts,
  deadLetterFacts,
  deferralFacts,
  settlementFields,
  unsubscribedFacts,
} from '../../src/pipeline/delivery-reporter.ts';
import { aDelivery } from '../support/builders.ts';

const delivery = aDelivery();
const settlement: Settlement = { kind: 'defer', tier: 0, dueAt: 1000, deferrals: 0 };

describe('the facts of a delivery', () => {
  it.each<{ readonly outcome: Outcome; readonly status?: number; readonly failure?: string }>([
    { outcome: { kind: 'delivered', status: 204 }, status: 204 },
    { outcome: { kind: 'http_error', status: 503, retryAfterMs: 5 }, status: 503 },
    { outcome: { kind: 'timeout', message: 'late' }, failure: 'late' },
    { outcome: { kind: 'paused' } },
  ])('name the outcome of an attempt: $outcome.kind', ({ outcome, status, failure }) => {
    expect(attemptFacts({ delivery, outcome, settlement, startedAt: 0, durationMs: 7, from: undefined })).toEqual({
      event: 'delivery.attempted',
      outcome: outcome.kind,
      status,
      failure,
      durationMs: 7,
      settlement,
    });
  });

  it.each<Failure | undefined>([undefined, { reason: 'http_error', status: 500, message: 'the last one' }])(
    'name the latest failure of a deferral: %o',
    (failure) => {
      expect(deferralFacts({ delivery, reason: 'paused', failure, settlement })).toEqual({
        event: 'delivery.deferred',
        outcome: 'paused',
        status: failure?.status,
        failure: failure?.message,
        settlement,
      });
    },
  );

  it('name the reason of a dead letter', () => {
    expect(deadLetterFacts('expired')).toEqual({ event: 'delivery.dead_lettered', reason: 'expired' });
    expect(unsubscribedFacts).toEqual({ event: 'delivery.unsubscribed' });
  });

  it.each<{ readonly settlement: Settlement | undefined; readonly fields: unknown }>([
    { settlement: undefined, fields: {} },
    { settlement: { kind: 'done' }, fields: {} },
    { settlement, fields: { dueAt: '1970-01-01T00:00:01.000Z' } },
    { settlement: { kind: 'dead', reason: 'expired' }, fields: { reason: 'expired' } },
  ])('hold when it is due, or why it ended: $settlement.kind', ({ settlement: one, fields }) => {
    expect(settlementFields(one)).toEqual(fields);
  });
});
