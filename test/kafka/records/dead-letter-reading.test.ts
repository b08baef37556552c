import { describe, expect, it } from 'vitest';
import { readDeadLetter, withSourcePosition, originalRecord } from '../../../src/kafka/records/dead-letter.ts';
import { markerHeaders } from '../../../src/kafka/records/replay-headers.ts';
import { deadDelivery, deadRecord, firstFailedAt, theDelivery } from '../../cli/dead-letters/dead-letters.ts';
import { aRecord } from '../../support/builders.ts';

const position = { topic: 'dead', partition: 3, offset: 99, timestamp: 1 };

describe('readDeadLetter', () => {
  it('reads a delivery with its ids and the time of its failure', () => {
    const delivery = theDelivery('topic', 4);
    expect(readDeadLetter(aRecord({ ...position, ...deadDelivery(delivery, { reason: 'expired' }) }))).toMatchObject({
      kind: 'letter',
      letter: {
        of: 'delivery',
        reason: 'expired',
        webhookId: delivery.webhookId,
        ownerId: delivery.ownerId,
        certificateId: 'certificate-4',
        at: firstFailedAt,
        source: 'topic/0/4',
      },
    });
  });

  it('reads a record as it was, and takes no ids from its own headers', () => {
    const record = aRecord({ offset: 5, headers: { 'delivery-id': 'x', 'owner-id': 'y', own: 'z' } });
    const deadLetter = aRecord({ ...position, ...deadRecord(record, 'undecodable') });
    expect(readDeadLetter(deadLetter)).toMatchObject({
      letter: { of: 'record', reason: 'undecodable', webhookId: undefined, ownerId: undefined },
    });
    expect(originalRecord(deadLetter)).toEqual(record);
  });

  it('reads a record whose headers were left out as such, so that it does not count as another event', () => {
    const record = aRecord({ offset: 5, headersOmitted: true });
    const deadLetter = aRecord({ ...position, ...deadRecord(record, 'too_large') });
    expect(readDeadLetter(deadLetter)).toMatchObject({ letter: { of: 'record', reason: 'too_large' } });
    expect(originalRecord(deadLetter)).toEqual(record);
  });

  it('reads the marker of a replayed dead letter, whether that is a delivery or a record', () => {
    const written = {
      delivery: deadDelivery(theDelivery('topic', 4)),
      record: deadRecord(aRecord({ topic: 'topic', offset: 4 }), 'undecodable'),
    };
    for (const of of ['delivery', 'record'] as const) {
      const letter = { of, record: aRecord({ ...position, ...written[of] }) };
      const marker = aRecord({ value: null, headers: markerHeaders(letter, 0) });
      expect(readDeadLetter(marker)).toEqual({
        kind: 'marker',
        isPurge: false,
        of: { partition: 3, offset: 99 },
        source: 'topic/0/4',
      });
    }
  });

  it('reads a marker without a position as such, and a marker with a value as a dead letter', () => {
    const headers = { 'replayed-at': '2026-11-01T00:00:00.000Z' };
    expect(readDeadLetter(aRecord({ value: null, headers }))).toMatchObject({ kind: 'marker', of: undefined });
    expect(readDeadLetter(aRecord({ headers }))).toMatchObject({ kind: 'letter' });
  });

  it('takes the timestamp of the record where the time of the failure is missing or malformed', () => {
    for (const headers of [{}, { 'failed-at': 'yesterday' }])
      expect(readDeadLetter(aRecord({ headers, timestamp: 7 }))).toMatchObject({ letter: { at: 7 } });
  });
});

describe('the source of a dead letter', () => {
  it('is the position in its delivery id when the record comes from a tier', () => {
    const record = aRecord({ topic: 'tier', offset: 1, headers: { 'delivery-id': 'a.b/2/30/web/hook' } });
    expect(withSourcePosition(record)).toMatchObject({ topic: 'a.b', partition: 2, offset: 30 });
    expect(withSourcePosition(aRecord())).toEqual(aRecord());
  });

  it('is unknown when its headers do not name a whole position', () => {
    expect(originalRecord(aRecord({ headers: { 'source-topic': 'a' } }))).toBeUndefined();
  });
});
