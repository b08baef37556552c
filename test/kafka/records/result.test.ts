import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { Settlement } from '../../../src/deliveries/settle.ts';
import {
  certificateResultValue,
  deliveryResultValue,
  endpointResultValue,
  recordResultValue,
} from '../../../src/kafka/records/result.ts';
import {
  attemptFacts,
  deadLetterFacts,
  deferralFacts,
  unsubscribedFacts,
} from '../../../src/pipeline/delivery-reporter.ts';
import type { RecordFacts } from '../../../src/pipeline/undelivered-records.ts';
import { aDelivery, type Document } from '../../support/builders.ts';
import { resultFormats } from '../../support/registry/published-results.ts';

const at = Date.UTC(2026, 10, 27, 8, 30, 0, 5);
const dueAt = at + 10_000;
const delivery = aDelivery({ attempt: 3 });
const ids = {
  configurationId: delivery.webhookId,
  ownerId: delivery.ownerId,
  certificateId: delivery.certificateId,
  deliveryId: delivery.deliveryId,
  attempt: 3,
};

const retry: Settlement = { kind: 'retry', tier: 1, dueAt };
const refused: Outcome = { kind: 'http_error', status: 503, retryAfterMs: undefined };
const attempted = { delivery, startedAt: at, durationMs: 17, from: undefined };
const deferred = { delivery, reason: 'not_due', settlement: { kind: 'defer', tier: 0, dueAt, deferrals: 1 } } as const;

const refusal = { type: 'delivery.attempted', ...ids, outcome: 'http_error', status: 503 };
const changed = { type: 'endpoint.changed', configurationId: 'w', ownerId: 'o' };
const endpoint = { webhookId: 'w', ownerId: 'o' };
const position = { topic: 'certificates.completed', partition: 3, offset: 1208 };

const values: readonly (readonly [what: string, value: Buffer, expected: Document])[] = [
  [
    'an attempt that was accepted',
    valueOf(attemptFacts({ ...attempted, outcome: { kind: 'delivered', status: 204 }, settlement: { kind: 'done' } })),
    { type: 'delivery.attempted', ...ids, outcome: 'delivered', status: 204, durationMs: 17, settlement: 'done' },
  ],
  [
    'an attempt that failed',
    valueOf(attemptFacts({ ...attempted, outcome: refused, settlement: retry })),
    { ...refusal, durationMs: 17, settlement: 'retry', dueAt: '2026-11-27T08:30:10.005Z' },
  ],
  [
    'the last attempt',
    valueOf(attemptFacts({ ...attempted, outcome: refused, settlement: { kind: 'dead', reason: 'exhausted' } })),
    { ...refusal, durationMs: 17, settlement: 'dead', reason: 'exhausted' },
  ],
  [
    'a deferral, with the status of the latest answer',
    valueOf(deferralFacts({ ...deferred, failure: { reason: 'http_error', status: 503, message: 'answered 503' } })),
    {
      ...refusal,
      type: 'delivery.deferred',
      outcome: 'not_due',
      settlement: 'defer',
      dueAt: '2026-11-27T08:30:10.005Z',
    },
  ],
  [
    'a dead letter',
    valueOf(deadLetterFacts('too_large')),
    { type: 'delivery.dead_lettered', ...ids, reason: 'too_large' },
  ],
  ['a delivery without a subscriber', valueOf(unsubscribedFacts), { type: 'delivery.unsubscribed', ...ids }],
  [
    'an endpoint that fails',
    endpointResultValue({ ...endpoint, from: 'closed', to: 'open', failures: 10, failingSince: at - 60_000 }, at),
    { ...changed, from: 'closed', to: 'open', failures: 10, since: '2026-11-27T08:29:00.005Z' },
  ],
  [
    'an endpoint that works',
    endpointResultValue({ ...endpoint, from: 'half_open', to: 'closed', failures: 0, failingSince: undefined }, at),
    { ...changed, from: 'half_open', to: 'closed', failures: 0 },
  ],
  [
    'a certificate that is about to expire',
    certificateResultValue({ ...endpoint, validUntil: at + 1_814_400_000 }, at),
    { ...changed, type: 'endpoint.certificate_expiring', validUntil: '2026-12-18T08:30:00.005Z' },
  ],
  [
    'a certificate that no webhook gets',
    ofRecord({ type: 'record.unclaimed', reason: 'disabled', certificate: { id: 'c', ownerId: 'o' } }),
    { type: 'record.unclaimed', ownerId: 'o', certificateId: 'c', ...position, reason: 'disabled' },
  ],
  [
    'a record that is ignored',
    ofRecord({ type: 'record.ignored', reason: 'null_value' }),
    { type: 'record.ignored', ...position, reason: 'null_value' },
  ],
  [
    'a record that is no certificate',
    ofRecord({ type: 'record.rejected', reason: 'undecodable' }),
    { type: 'record.rejected', ...position, reason: 'undecodable' },
  ],
];

describe('the value of a record in the results topic', () => {
  it.each(values)('tells of %s', (_what, value, expected) => {
    const result = JSON.parse(value.toString()) as Document;
    expect(result).toEqual({ ...expected, at: '2026-11-27T08:30:00.005Z' });
  });

  it.each(Object.entries(resultFormats))('has every field in the published schema for %s', (_format, convert) => {
    for (const [, value] of values) {
      const result = JSON.parse(value.toString()) as Document;
      expect(convert(result)).toEqual(result);
    }
  });

  it.each(['AVRO', 'JSON'] as const)('that lacks its type does not match the schema for %s', (format) => {
    const { type: _type, ...rest } = JSON.parse(String(values[0]?.[1])) as Document;
    expect(() => resultFormats[format](rest)).toThrow(/type|invalid "string": undefined/);
  });
});

function valueOf(facts: Parameters<typeof deliveryResultValue>[1]): Buffer {
  return deliveryResultValue(delivery, facts, at);
}

function ofRecord(facts: RecordFacts): Buffer {
  return recordResultValue(position, facts, at);
}
