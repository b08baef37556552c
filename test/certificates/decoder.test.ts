import { describe, expect, it } from 'vitest';
import { createDecoder, type Decoder } from '../../src/certificates/decoder.ts';
import type { FramedResult } from '../../src/certificates/framing.ts';
import { aCertificateDocument, aRecord, json } from '../support/builders.ts';

const eventTypeByTopic = new Map([
  ['certificates.completed', 'certificate_completed' as const],
  ['certificates.expired', 'certificate_expired' as const],
  ['certificates.all', undefined],
]);
const { decode } = createDecoder({ eventTypeByTopic });
const readAt = Date.UTC(2026, 10, 21);

describe('a certificate record', () => {
  it.each([
    ['a value of more than RECORD_MAX_BYTES', aRecord({ value: Buffer.alloc(1025, ' ') }), '1KiB (RECORD_MAX_BYTES)'],
    ['a framed value of more', aRecord({ value: Buffer.alloc(1025) }), '1KiB (RECORD_MAX_BYTES)'],
    ['headers that were not built', aRecord({ headersOmitted: true }), '1000 headers, or 64KiB of them'],
  ])('with %s is rejected as too large, and waits for no schema', (_, record, limit) => {
    const framed = { whenReadable: () => Promise.resolve(), read: () => ({ kind: 'plain', value: null }) as const };
    const decoder = createDecoder({ eventTypeByTopic, framed, maxValueBytes: 1024 });
    expect(decoder.whenReadable(record)).toBeUndefined();
    const rejection = { reason: 'too_large', message: expect.stringContaining(limit) };
    expect(decoder.decode(record, readAt)).toEqual({ kind: 'rejected', rejection });
  });

  it('with more than 100,000 JSON values is rejected as too large', () => {
    const value = Buffer.from(JSON.stringify({ ...aCertificateDocument(), x: Array(100_001).fill(0) }));
    const rejection = { reason: 'too_large', message: 'the value has more than 100000 JSON values' };
    expect(decode(aRecord({ value }), readAt)).toEqual({ kind: 'rejected', rejection });
  });

  it('becomes a certificate whose body is the buffer of its value', () => {
    const record = aRecord();
    const decoded = decode(record, readAt);
    expect(decoded).toEqual({
      kind: 'certificate',
      certificate: {
        id: '507f1f77bcf86cd799439011',
        userId: '507f191e810c19729de860ea',
        ownerId: '665f1f77bcf86cd799439000',
        eventType: 'certificate_completed',
        body: record.value,
        missingFields: [],
      },
    });
    expect(decoded.kind === 'certificate' && decoded.certificate.body).toBe(record.value);
  });

  it('keeps spacing, number forms, unlisted fields and duplicate keys in its body, and uses the last duplicate', () => {
    const text = ` {"_id":"first", "_id":"last","_userId":"u","_ownerId":"o","__v":1.0e0,"extra":{"n":1.10}}\n`;
    const decoded = decode(aRecord({ value: Buffer.from(text) }), readAt);
    expect(decoded).toMatchObject({ kind: 'certificate', certificate: { id: 'last', body: Buffer.from(text) } });
  });

  it('has the event type of its topic, regardless of its headers and its expiry', () => {
    const headers = { 'event-type': 'badge_awarded', ce_type: 'certificate_completed' };
    const value = aCertificateDocument({ expires: null });
    const decoded = decode(aRecord({ topic: 'certificates.expired', headers, value }), readAt);
    expect(decoded).toMatchObject({ certificate: { eventType: 'certificate_expired' } });
  });

  it.each(['certificates.all', 'unheard.of'])('in the mixed topic %s has the event type of its header', (topic) => {
    const decoded = decode(aRecord({ topic, headers: { ce_type: 'certificate_expired' } }), readAt);
    expect(decoded).toMatchObject({ certificate: { eventType: 'certificate_expired' } });
  });

  it('without a declared event type is compared with its own timestamp, not with the time of reading', () => {
    const value = aCertificateDocument({ expires: '2026-06-01T00:00:00.000Z' });
    const record = aRecord({ topic: 'certificates.all', value, timestamp: Date.UTC(2026, 4, 31) });
    expect(decode(record, readAt)).toMatchObject({ certificate: { eventType: 'certificate_completed' } });
  });

  it('without a timestamp is compared with the time of reading', () => {
    const value = aCertificateDocument({ expires: '2026-06-01T00:00:00.000Z' });
    const record = aRecord({ topic: 'certificates.all', value, timestamp: undefined });
    expect(decode(record, readAt)).toMatchObject({ certificate: { eventType: 'certificate_expired' } });
  });
});

describe('a record of no interest', () => {
  it('is ignored when its value is null, on any topic', () => {
    expect(decode(aRecord({ value: null }), readAt)).toEqual({ kind: 'ignored', why: 'null_value' });
  });

  it('is ignored when its header names another event, even if its value is no certificate', () => {
    const record = aRecord({
      topic: 'certificates.all',
      headers: { 'event-type': 'badge_awarded' },
      value: Buffer.from('x'),
    });
    expect(decode(record, readAt)).toEqual({ kind: 'ignored', why: 'other_event' });
  });
});

describe('a record that is no certificate', () => {
  it('is undecodable when its value is empty, which differs from null', () => {
    expect(decode(aRecord({ value: Buffer.alloc(0) }), readAt)).toEqual({
      kind: 'rejected',
      rejection: { reason: 'undecodable', message: 'the value is not JSON' },
    });
  });

  it('is undecodable when it is framed and there is no schema registry', () => {
    const value = Buffer.concat([Buffer.from([0, 0, 0, 0, 1]), json(aCertificateDocument())]);
    expect(decode(aRecord({ value }), readAt)).toEqual({
      kind: 'rejected',
      rejection: {
        reason: 'undecodable',
        message: 'the value is framed for a schema registry, and none is set (SCHEMA_REGISTRY_URL)',
      },
    });
  });

  it('is invalid when it is JSON of another shape', () => {
    expect(decode(aRecord({ value: json([aCertificateDocument()]) }), readAt)).toEqual({
      kind: 'rejected',
      rejection: { reason: 'invalid_record', message: 'the record must be an object' },
    });
  });
});

describe('a framed record', () => {
  const value = Buffer.from([0, 0, 0, 0, 1]);
  const wait = Promise.resolve();
  const decoderOf = (read: FramedResult): Decoder =>
    createDecoder({ eventTypeByTopic, framed: { whenReadable: () => wait, read: () => read } });

  it('is rendered as JSON and validated, even between JSON records', () => {
    const plain = { note: 'unlisted', _ownerId: 'o', _userId: 'u', _id: 'framed' };
    const decoder = decoderOf({ kind: 'plain', value: plain });
    const body = Buffer.from('{"_id":"framed","_userId":"u","_ownerId":"o","note":"unlisted"}');
    expect(decoder.decode(aRecord({ value }), readAt)).toMatchObject({ certificate: { id: 'framed', body } });
    expect(decoder.decode(aRecord(), readAt)).toMatchObject({ certificate: { id: '507f1f77bcf86cd799439011' } });
  });

  it('that contains JSON keeps its exact bytes', () => {
    const document = aCertificateDocument({ _id: 'framed' });
    const bytes = Buffer.from(JSON.stringify(document, null, 2));
    expect(decoderOf({ kind: 'json', document, bytes }).decode(aRecord({ value }), readAt)).toMatchObject({
      certificate: { id: 'framed', body: bytes },
    });
  });

  it('that contradicts its schema is undecodable, and one without an owner is invalid', () => {
    const broken = decoderOf({ kind: 'undecodable', message: 'there is less' }).decode(aRecord({ value }), readAt);
    expect(broken).toEqual({ kind: 'rejected', rejection: { reason: 'undecodable', message: 'there is less' } });
    const ownerless = decoderOf({ kind: 'plain', value: { _id: 'framed' } });
    expect(ownerless.decode(aRecord({ value }), readAt)).toMatchObject({ rejection: { reason: 'invalid_record' } });
  });

  it('waits for its schema, unless it is of another event', () => {
    const decoder = decoderOf({ kind: 'plain', value: null });
    expect(decoder.whenReadable(aRecord({ value }))).toBe(wait);
    const headers = { 'event-type': 'badge_awarded' };
    expect(decoder.whenReadable(aRecord({ topic: 'certificates.all', headers, value }))).toBeUndefined();
    expect(decoder.whenReadable(aRecord())).toBeUndefined();
    expect(decoder.whenReadable(aRecord({ value: null }))).toBeUndefined();
  });
});
