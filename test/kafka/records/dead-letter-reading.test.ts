import { describe, expect, it } from 'vitest';
import { readDeadLetter } from '../../../src/kafka/records/dead-letter-reading.ts';
import { withSourcePosition, originalRecord } from '../../../src/kafka/records/dead-letter-source.ts';
import { markerHeaders } from '../../../src/kafka/records/replay-headers.ts';
import { deadDelivery, deadRecord, firstFailedAt, theDelivery } from '../../cli/dead-letters/dead-letters.ts';
import { aRecord } from '../../support/builders.ts';

const place = { topic: 'dead', partition: 3, offset: 99, timestamp: 1 };

describe('a record of the dead-letter topic', () => {
  it('is a delivery with its ids and the time of its failure', () => {
    const delivery = theDelivery('topic', 4);
    expect(readDeadLetter(aRecord({ ...place, ...deadDelivery(delivery, { reason: 'expired' }) }))).toMatchObject({
      kind: 'letter',
      letter: {
        of: 'delivery',
        reason: 'expired',
        webhookId: delivery.webhookId,
        ownerId: delivery.ownerId,
        certificateId: 'certificate-4',
        failedAt: firstFailedAt,
        source: 'topic/0/4',
      },
    });
  });

  it('is a record as it was read, without ids whatever its own headers say', () => {
    const record = aRecord({ offset: 5, headers: { 'delivery-id': 'x', 'owner-id': 'y', own: 'z' } });
    const buried = aRecord({ ...place, ...deadRecord(record, 'undecodable') });
    expect(readDeadLetter(buried)).toMatchObject({
      letter: { of: 'record', reason: 'undecodable', webhookId: undefined, ownerId: undefined },
    });
    expect(originalRecord(buried)).toEqual(record);
  });

  it('is the marker of a dead letter, of a delivery or of a record', () => {
    const letters = [
      { of: 'delivery', record: aRecord({ ...place, ...deadDelivery(theDelivery('topic', 4)) }) } as const,
      {
        of: 'record',
        record: aRecord({ ...place, ...deadRecord(aRecord({ topic: 'topic', offset: 4 }), 'undecodable') }),
      } as const,
    ];
    for (const letter of letters) {
      const marker = aRecord({ value: null, headers: markerHeaders(letter, 0) });
      expect(readDeadLetter(marker)).toEqual({
        kind: 'marker',
        of: { partition: 3, offset: 99 },
        source: 'topic/0/4',
      });
    }
  });

  it('is a marker of nothing when it names no place, and a dead letter when it has a value', () => {
    const headers = { 'replayed-at': '2026-11-01T00:00:00.000Z' };
    expect(readDeadLetter(aRecord({ value: null, headers }))).toMatchObject({ kind: 'marker', of: undefined });
    expect(readDeadLetter(aRecord({ headers }))).toMatchObject({ kind: 'letter' });
  });

  it('failed when it was written, if it does not say', () => {
    for (const headers of [{}, { 'failed-at': 'yesterday' }])
      expect(readDeadLetter(aRecord({ headers, timestamp: 7 }))).toMatchObject({ letter: { failedAt: 7 } });
  });

  it('of a tier is at the source that its id names', () => {
    const record = aRecord({ topic: 'tier', offset: 1, headers: { 'delivery-id': 'a.b/2/30/web/hook' } });
    expect(withSourcePosition(record)).toMatchObject({ topic: 'a.b', partition: 2, offset: 30 });
    expect(withSourcePosition(aRecord())).toEqual(aRecord());
    expect(originalRecord(aRecord({ headers: { 'source-topic': 'a' } }))).toBeUndefined();
  });
});
