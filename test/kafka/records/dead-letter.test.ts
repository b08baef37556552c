import { describe, expect, it } from 'vitest';
import type { OutgoingHeaders } from '../../../src/kafka/client/kafka.ts';
import { maxIdBytes } from '../../../src/certificates/certificate-schema.ts';
import { recordBytes } from '../../../src/kafka/producer/batch.ts';
import { deadDeliveryHeaders, deadRecordHeaders, withOwnHeaders } from '../../../src/kafka/records/dead-letter.ts';
import { readEnvelope } from '../../../src/kafka/records/envelope.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';

const failedAt = Date.UTC(2026, 2, 15, 10);
const deadLetter = { reason: 'undecodable', message: 'not JSON', failedAt } as const;

function texts(headers: OutgoingHeaders): readonly (readonly [string, string])[] {
  return headers.map(([name, value]) => [name, String(value)]);
}

describe('the dead letter of a delivery', () => {
  it('has the reason, the time of the failure and the number of attempts, but no due time', () => {
    const headers = deadDeliveryHeaders(aDelivery({ attempt: 7 }), { reason: 'exhausted', attemptsMade: 7, failedAt });
    expect(Object.fromEntries(texts(headers))).toMatchObject({
      attempt: '7',
      'failed-at': '2026-03-15T10:00:00.000Z',
      'dead-letter-reason': 'exhausted',
    });
    expect(headers.map(([name]) => name)).not.toContain('due-at');
  });

  it('is read back as the delivery with its attempt increased by one', () => {
    const delivery = aDelivery({ attempt: 7, lastFailure: { reason: 'timeout', status: undefined, message: 'late' } });
    const headers = deadDeliveryHeaders(delivery, { reason: 'exhausted', attemptsMade: 7, failedAt });
    const record = aRecord({ key: delivery.key, value: delivery.body, headers });
    expect(readEnvelope(record)).toEqual({ kind: 'delivery', delivery: { ...delivery, attempt: 8 }, dueAt: undefined });
  });
});

describe('the last resort of a dead letter', () => {
  const id = 'x'.repeat(maxIdBytes);
  const anyMessage = '\u{1d11e}'.repeat(1000);

  it('has a few kilobytes of headers, however long everything of its delivery is', () => {
    const topic = 't'.repeat(249);
    const source = { topic, partition: 2 ** 31 - 1, offset: 10 ** 15 - 1, timestamp: failedAt };
    const trace = {
      traceparent: `01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-${'f'.repeat(456)}`,
      tracestate: 'x'.repeat(512),
    };
    const lastFailure = { reason: 'http_error', status: 503, message: anyMessage } as const;
    const delivery = aDelivery({ webhookId: id, ownerId: id, certificateId: id, source, trace, lastFailure });
    const headers = deadDeliveryHeaders(delivery, { reason: 'too_large', attemptsMade: 1e6, failedAt });
    expect(recordBytes({ key: null, value: null, headers })).toBeLessThan(8 * 1024);
    const record = aRecord({ key: delivery.key, value: delivery.body, headers });
    expect(readEnvelope(record)).toMatchObject({
      kind: 'delivery',
      delivery: { deliveryId: delivery.deliveryId, trace },
    });
  });

  it('has less than a kilobyte of headers for a record', () => {
    const headers = deadRecordHeaders(aRecord(), { ...deadLetter, message: anyMessage }, 'too_large');
    expect(recordBytes({ key: null, value: null, headers })).toBeLessThan(1024);
  });
});

describe('the dead letter of a record', () => {
  it('names the position of the record and the reason, and no delivery', () => {
    const record = aRecord({ partition: 4, offset: 99 });
    expect(Object.fromEntries(texts(deadRecordHeaders(record, deadLetter, 'undecodable')))).toEqual({
      'source-topic': 'certificates.completed',
      'source-partition': '4',
      'source-offset': '99',
      'source-timestamp': '2026-03-14T09:26:54.020Z',
      'failed-at': '2026-03-15T10:00:00.000Z',
      'failure-reason': 'undecodable',
      'failure-message': 'not JSON',
      'dead-letter-reason': 'undecodable',
    });
  });

  it('keeps the headers of the record, repeated ones too, except those that ours replace', () => {
    const own = [
      ['event-type', Buffer.from('certificate_expired')],
      ['hop', Buffer.from('one')],
      ['source-topic', Buffer.from('elsewhere')],
      ['hop', Buffer.from('two')],
    ] as const;
    const ours = [['source-topic', Buffer.from('certificates.completed')]] as const;
    expect(texts(withOwnHeaders(aRecord({ headers: own }), ours))).toEqual([
      ['event-type', 'certificate_expired'],
      ['hop', 'one'],
      ['hop', 'two'],
      ['source-topic', 'certificates.completed'],
    ]);
  });

  it('keeps null headers null, and every header in its place', () => {
    const headers = [
      ['a', Buffer.from('first')],
      ['10', null],
      ['9', Buffer.alloc(0)],
      ['a', null],
    ] as const;
    expect(withOwnHeaders(aRecord({ headers }), [])).toEqual(headers);
  });

  it('drops a due time and the header that marks a dead letter as replayed', () => {
    const record = aRecord({ headers: { 'due-at': '2026-03-15T10:00:00.000Z', 'replayed-at': 'x', other: 'y' } });
    expect(texts(withOwnHeaders(record, []))).toEqual([['other', 'y']]);
  });
});
