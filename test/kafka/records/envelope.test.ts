import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../src/certificates/certificate.ts';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import type { Delivery } from '../../../src/deliveries/delivery.ts';
import { attemptOutcomes, deferOutcomes } from '../../../src/deliveries/outcome.ts';
import { owedResultHeaders, readEnvelope, retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { headerNames } from '../../../src/kafka/records/headers.ts';
import { toSourceRecord } from '../../../src/kafka/records/fetched-records.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';

const plannedAt = Date.UTC(2026, 2, 14, 9, 26, 54, 500);
const dueAt = Date.UTC(2026, 2, 14, 9, 36, 54, 7);

const required = new Set(['webhook-configuration-id', 'owner-id', 'certificate-id', 'event-type', 'delivery-id']);

/** Builds the record of a delivery in a tier. */
function retryOf(delivery: Delivery, due: number): SourceRecord {
  return aRecord({
    topic: 'certificate-webhooks.retry.10m',
    partition: 3,
    offset: 17,
    key: delivery.key,
    value: delivery.body,
    headers: retryHeaders(delivery, due),
  });
}

function texts(record: Pick<SourceRecord, 'headers'>): Readonly<Record<string, string>> {
  return Object.fromEntries(record.headers.map(([name, value]) => [name, String(value)]));
}

/** Builds a retry with one header set to another text, or without that header. */
function retryWith(name: string, text: string | undefined): SourceRecord {
  const retry = retryOf(aDelivery(), dueAt);
  const others = retry.headers.filter(([other]) => other !== name);
  return { ...retry, headers: text === undefined ? others : [...others, [name, Buffer.from(text)]] };
}

describe('a retry', () => {
  it('has a header for everything that its next attempt needs, each once and as text', () => {
    const delivery = aDelivery({
      attempt: 3,
      deferrals: 2,
      plannedAt,
      firstAttemptedAt: plannedAt + 250,
      lastFailure: { reason: 'http_error', status: 503, message: 'answered 503' },
      trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'vendor=1' },
    });
    expect(texts(retryOf(delivery, dueAt))).toEqual({
      'webhook-configuration-id': '665f1f77bcf86cd799439011',
      'owner-id': '665f1f77bcf86cd799439000',
      'certificate-id': '507f1f77bcf86cd799439011',
      'event-type': 'certificate_completed',
      'delivery-id': 'certificates.completed/0/0/665f1f77bcf86cd799439011',
      attempt: '2',
      deferrals: '2',
      'planned-at': '2026-03-14T09:26:54.500Z',
      'first-attempted-at': '2026-03-14T09:26:54.750Z',
      'due-at': '2026-03-14T09:36:54.007Z',
      'source-topic': 'certificates.completed',
      'source-partition': '0',
      'source-offset': '0',
      'source-timestamp': '2026-03-14T09:26:54.020Z',
      'failure-reason': 'http_error',
      'failure-status': '503',
      'failure-message': 'answered 503',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'vendor=1',
    });
    expect(retryHeaders(delivery, dueAt)).toHaveLength(19);
  });

  it('leaves out what is not known', () => {
    const { timestamp: _, ...source } = aDelivery().source;
    const delivery = aDelivery({ source: { ...source, timestamp: undefined } });
    const names = retryHeaders(delivery, dueAt).map(([name]) => name);
    expect(names).not.toContain('source-timestamp');
    expect(names).not.toContain('first-attempted-at');
    expect(names).not.toContain('failure-status');
    expect(names).not.toContain('traceparent');
  });

  it('leaves out a source timestamp that no date can hold', () => {
    const source = { ...aDelivery().source, timestamp: 1_773_480_414_020_000_000 };
    expect(texts(retryOf(aDelivery({ source }), dueAt))).not.toHaveProperty('source-timestamp');
  });

  it('has a failure message of one line and at most 256 characters', () => {
    const message = `first\r\n\tsecond\u0000${'𝄞'.repeat(200)}`;
    const delivery = aDelivery({ lastFailure: { reason: 'timeout', status: undefined, message } });
    const written = texts(retryOf(delivery, dueAt))['failure-message'] ?? '';
    expect(written).toMatch(/^first second 𝄞+$/u);
    expect(written).toHaveLength(255);
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(deliveries, times, (delivery, due) => {
        expect(readEnvelope(retryOf(delivery, due))).toEqual({ kind: 'delivery', delivery, dueAt: due });
      }),
    );
  });
});

describe('reading an envelope', () => {
  it.each([...required])('requires %s, and not an empty one', (name) => {
    const problem = expect.stringContaining(name);
    expect(readEnvelope(retryWith(name, undefined))).toEqual({ kind: 'unreadable', problem });
    expect(readEnvelope(retryWith(name, ''))).toEqual({ kind: 'unreadable', problem });
  });

  it.each([
    ['event-type', 'certificate_revoked'],
    ['attempt', '-1'],
    ['attempt', '1.5'],
    ['deferrals', 'many'],
    ['planned-at', 'yesterday'],
    ['planned-at', '2026-13-14T09:26:54.500Z'],
    ['due-at', '1773480414020'],
    ['due-at', '2026-03-14T09:36:54.007'],
    ['first-attempted-at', '2026'],
    ['source-partition', '?'],
    ['source-timestamp', '?'],
  ])('rejects the header %s: %s, and does not repeat its text', (name, text) => {
    const envelope = readEnvelope(retryWith(name, text));
    expect(envelope).toEqual({ kind: 'unreadable', problem: expect.stringContaining(name) });
    expect(JSON.stringify(envelope)).not.toContain(text);
  });

  it.each([
    ['owner-id', 1024],
    ['webhook-configuration-id', 1024],
    ['certificate-id', 1024],
    ['source-topic', 1024],
    ['delivery-id', 1324],
  ])('rejects the header %s with more than %i bytes, or bytes that are not UTF-8', (name, limit) => {
    const problem = `the header ${name} is not UTF-8 of at most ${limit} bytes`;
    expect(readEnvelope(retryWith(name, 'x'.repeat(limit)))).toMatchObject({ kind: 'delivery' });
    expect(readEnvelope(retryWith(name, 'x'.repeat(limit + 1)))).toEqual({ kind: 'unreadable', problem });
    const retry = retryWith(name, undefined);
    const headers = [...retry.headers, [name, Buffer.of(0x6f, 0xed, 0xa0, 0x80)] as const];
    expect(readEnvelope({ ...retry, headers })).toEqual({ kind: 'unreadable', problem });
  });

  it('names every problem at once', () => {
    const record = aRecord({ headers: { attempt: 'x' } });
    const envelope = readEnvelope(record);
    expect(envelope).toEqual({ kind: 'unreadable', problem: expect.stringMatching(/owner-id.*;.*attempt/) });
  });

  it('refuses a record with more headers than it may have, and names that limit', () => {
    const envelope = readEnvelope(aRecord({ headersOmitted: true }));
    expect(envelope).toEqual({ kind: 'unreadable', problem: expect.stringContaining('1000 headers') });
  });

  it('refuses a record without a value', () => {
    const envelope = readEnvelope({ ...retryOf(aDelivery(), dueAt), value: null });
    expect(envelope).toEqual({ kind: 'unreadable', problem: 'there is no value to send' });
  });

  it('has defaults for headers that another version may not write', () => {
    const delivery = aDelivery({ attempt: 4, deferrals: 1 });
    const whole = retryOf(delivery, dueAt);
    const headers = whole.headers.filter(([name]) => required.has(name));
    expect(readEnvelope({ ...whole, headers, timestamp: plannedAt })).toEqual({
      kind: 'delivery',
      delivery: {
        ...delivery,
        attempt: 1,
        deferrals: 0,
        plannedAt,
        source: { topic: 'certificate-webhooks.retry.10m', partition: 3, offset: 17, timestamp: undefined },
      },
      dueAt: undefined,
    });
  });

  it('rejects a record that has neither planned-at nor a timestamp', () => {
    const record = { ...retryWith('planned-at', undefined), timestamp: undefined };
    expect(readEnvelope(record)).toEqual({ kind: 'unreadable', problem: 'the header planned-at is missing' });
  });

  it.each([
    ['failure-reason', 'a reason of a later version'],
    ['failure-status', 'x'],
    ['x-later', 'whatever'],
    ['failed-at', 'whatever'],
  ])('ignores the header %s: %s', (name, text) => {
    expect(readEnvelope(retryWith(name, text))).toMatchObject({ kind: 'delivery' });
  });

  it('holds finite numbers that can be written again, whatever its headers and its timestamp are', () => {
    const hostile = ['9'.repeat(15), '9'.repeat(400), '1e308', '+275760-09-13T00:00:00Z', '+999999-01-01T00:00:00Z'];
    const numbers = fc.oneof(fc.bigInt().map(String), fc.constantFrom(...hostile));
    const timestamps = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    const changed = fc.dictionary(
      fc.constantFrom('attempt', 'deferrals', 'planned-at', 'due-at', 'source-offset'),
      numbers,
    );
    fc.assert(
      fc.property(changed, timestamps, (headers, timestamp) => {
        const { value } = retryOf(aDelivery(), dueAt);
        const all = Object.entries({ ...texts(retryOf(aDelivery(), dueAt)), ...headers });
        const message = {
          offset: '1',
          key: null,
          value,
          timestamp,
          headers: all.map(([name, text]) => [name, Buffer.from(text)] as const),
        };
        const record = toSourceRecord('tier', 0, message);
        expect(() => new Date(record.timestamp ?? 0).toISOString()).not.toThrow();
        const envelope = readEnvelope(record);
        if (envelope.kind !== 'delivery') return;
        const { attempt, deferrals, plannedAt: planned, source } = envelope.delivery;
        for (const number of [attempt, deferrals, source.offset]) expect(number).toSatisfy(Number.isSafeInteger);
        for (const time of [planned, envelope.dueAt ?? 0]) expect(() => new Date(time).toISOString()).not.toThrow();
      }),
    );
  });

  it('that is a result owed names no delivery, so that a version which does not know such records sends nothing', () => {
    const value = Buffer.from('{"offset":1208}');
    const record = aRecord({ partition: 3, value, headers: owedResultHeaders(2, dueAt) });
    const { key } = record;
    expect(readEnvelope(record)).toEqual({ kind: 'result', result: { key, value, partition: 3, timesOwed: 2 }, dueAt });
    const asBefore = { ...record, headers: record.headers.filter(([name]) => name !== headerNames.owedResult) };
    expect(readEnvelope(asBefore)).toMatchObject({ kind: 'unreadable' });
  });

  it.each([
    ['no JSON', 'w'],
    ['no object', '[1]'],
    ['more than a result may be', JSON.stringify({ configurationId: 'w'.repeat(64 * 1024) })],
  ])('is unreadable as a result with %s, and its due time is checked', (_what, text) => {
    const record = aRecord({ value: Buffer.from(text), headers: owedResultHeaders(1, dueAt) });
    expect(readEnvelope(record)).toEqual({ kind: 'unreadable', problem: 'the value is no result' });
    const headers = [['owed-result', '1'] as const, ['due-at', 'tomorrow'] as const];
    expect(readEnvelope(aRecord({ value: Buffer.from(text), headers }))).toMatchObject({ kind: 'unreadable' });
  });

  it('never throws for any headers and value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(someNames, someValues)), fc.option(someValues), (headers, value) => {
        expect(['delivery', 'result', 'unreadable']).toContain(readEnvelope(aRecord({ headers, value })).kind);
      }),
    );
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const counts = fc.nat();
const times = fc.date({ noInvalidDate: true }).map((date) => date.getTime());
const messages = fc.stringMatching(/^[a-zA-Z0-9:.é]{1,40}( [a-zA-Z0-9:.é]{1,40}){0,4}$/);
const failures = fc.record({
  reason: fc.constantFrom(...attemptOutcomes, ...deferOutcomes),
  status: fc.option(fc.integer({ min: 100, max: 999 }), { nil: undefined }),
  message: fc.option(messages, { nil: undefined }),
});
const deliveries: fc.Arbitrary<Delivery> = fc.record({
  deliveryId: words,
  webhookId: words,
  ownerId: words,
  certificateId: words,
  eventType: fc.constantFrom(...eventTypes),
  body: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  key: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  source: fc.record({
    topic: words,
    partition: counts,
    offset: fc.maxSafeNat().map((offset) => offset % 10 ** 15),
    timestamp: fc.option(times, { nil: undefined }),
  }),
  trace: fc.oneof(
    fc.constant({ traceparent: undefined, tracestate: undefined }),
    fc.record({
      traceparent: fc.constantFrom('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
      tracestate: fc.option(words, { nil: undefined }),
    }),
  ),
  attempt: counts.map((made) => made + 1),
  deferrals: counts,
  plannedAt: times,
  firstAttemptedAt: fc.option(times, { nil: undefined }),
  lastFailure: fc.option(failures, { nil: undefined }),
});
const someNames = fc.oneof(fc.constantFrom(...Object.values(headerNames)), fc.string());
const someValues = fc
  .oneof(
    fc.uint8Array(),
    fc.stringMatching(/^[-+]?[0-9TZ:.-]{0,30}$/).map((text) => Buffer.from(text)),
  )
  .map((bytes) => Buffer.from(bytes));
