import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/deliveries/delivery.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { DeliveryAttempted } from '../../../src/pipeline/ports.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { someEvents } from '../support/events.ts';

const recordedAt = Date.UTC(2026, 10, 21, 12);
const dueAt = Date.UTC(2026, 10, 21, 12, 1);
const ids = {
  configurationId: '665f1f77bcf86cd799439011',
  ownerId: '665f1f77bcf86cd799439000',
  certificateId: '507f1f77bcf86cd799439011',
  deliveryId: 'certificates.completed/0/7/665f1f77bcf86cd799439011',
};

const source = { topic: 'certificates.completed', partition: 0, offset: 7, timestamp: recordedAt };

function delivery(overrides: Partial<Delivery> = {}): Delivery {
  return aDelivery({ source, ...overrides });
}

/** The line of such an attempt, and of a deferral, without what differs. */
const line = { level: 'info', event: 'delivery.attempted', ...ids, attempt: 1, durationMs: 250 };
const deferred = { level: 'info', event: 'delivery.deferred', ...ids, attempt: 1 };
const dueText = '2026-11-21T12:01:00.000Z';

/** A first attempt that began 2 s after the record was written and took 250 ms. */
function attempted(overrides: Partial<DeliveryAttempted> = {}): DeliveryAttempted {
  return {
    delivery: delivery(),
    outcome: { kind: 'delivered', status: 204 },
    settlement: { kind: 'done' },
    startedAt: recordedAt + 2000,
    durationMs: 250,
    from: undefined,
    ...overrides,
  };
}

describe('an attempt', () => {
  it('that delivers is one line, counted and measured from the timestamp of the record', async () => {
    const { events, lines, moved } = someEvents();
    events.deliveryAttempted(attempted());
    expect(lines()).toEqual([{ ...line, outcome: 'delivered', status: 204, settlement: 'done' }]);
    expect(await moved()).toEqual({
      'delivery_attempts_total{attempt="first",outcome="delivered",status_class="2xx"}': 1,
      'delivery_duration_seconds_count{outcome="delivered"}': 1,
      'delivery_duration_seconds_sum{outcome="delivered"}': 0.25,
      'delivery_latency_seconds_count{event_type="certificate_completed"}': 1,
      'delivery_latency_seconds_sum{event_type="certificate_completed"}': 2.25,
      'queue_delay_seconds_count{event_type="certificate_completed"}': 1,
      'queue_delay_seconds_sum{event_type="certificate_completed"}': 2,
    });
  });

  it('from a tier measures how late it started, and logs the next tier', async () => {
    const { events, lines, moved } = someEvents();
    events.deliveryAttempted(
      attempted({
        delivery: delivery({ attempt: 2 }),
        outcome: { kind: 'http_error', status: 503, retryAfterMs: undefined },
        settlement: { kind: 'retry', tier: 1, dueAt },
        from: { tier: '10s', readAt: recordedAt, dueAt: recordedAt + 1500, dueAtMonotonic: 0 },
      }),
    );
    expect(lines()).toEqual([
      { ...line, attempt: 2, outcome: 'http_error', status: 503, settlement: 'retry', tier: '1m', dueAt: dueText },
    ]);
    expect(await moved()).toEqual({
      'delivery_attempts_total{attempt="retry",outcome="http_error",status_class="5xx"}': 1,
      'delivery_duration_seconds_count{outcome="http_error"}': 1,
      'delivery_duration_seconds_sum{outcome="http_error"}': 0.25,
      'retry_lateness_seconds_count{tier="10s"}': 1,
      'retry_lateness_seconds_sum{tier="10s"}': 0.5,
    });
  });

  it('without a response logs the failure on one line, and the reason of the dead letter', async () => {
    const { events, lines, moved } = someEvents();
    const outcome: Outcome = { kind: 'tls_error', message: `certificate\nexpired ${'x'.repeat(300)}` };
    events.deliveryAttempted(attempted({ outcome, settlement: { kind: 'dead', reason: 'exhausted' } }));
    expect(lines()).toEqual([
      {
        ...line,
        outcome: 'tls_error',
        failure: `certificate expired ${'x'.repeat(236)}`,
        settlement: 'dead',
        reason: 'exhausted',
      },
    ]);
    expect(await moved()).toMatchObject({
      'delivery_attempts_total{attempt="first",outcome="tls_error",status_class="none"}': 1,
    });
  });

  it('that delivers has no line with LOG_DELIVERIES=failed; it is counted, and all others are logged', async () => {
    const { events, lines, moved } = someEvents('info', 'failed');
    events.deliveryAttempted(attempted());
    events.deliveryAttempted(attempted({ outcome: { kind: 'http_error', status: 503, retryAfterMs: undefined } }));
    events.deliveryAttempted(attempted({ outcome: { kind: 'timeout', message: 'no response within 15s' } }));
    expect(lines()).toMatchObject([{ outcome: 'http_error', status: 503 }, { outcome: 'timeout' }]);
    expect(await moved()).toMatchObject({
      'delivery_attempts_total{attempt="first",outcome="delivered",status_class="2xx"}': 1,
      'delivery_duration_seconds_count{outcome="delivered"}': 1,
    });
  });

  it.each([
    { outcome: { kind: 'http_error', status: 999, retryAfterMs: undefined } as const, statusClass: 'none' },
    { outcome: { kind: 'http_error', status: 302, retryAfterMs: undefined } as const, statusClass: '3xx' },
    { outcome: { kind: 'blocked', message: 'port 25' } as const, statusClass: 'none' },
  ])('with the outcome $outcome.kind counts as $statusClass', async ({ outcome, statusClass }) => {
    const { events, moved } = someEvents();
    events.deliveryAttempted(attempted({ outcome }));
    const series = `delivery_attempts_total{attempt="first",outcome="${outcome.kind}",status_class="${statusClass}"}`;
    expect(await moved()).toMatchObject({ [series]: 1 });
  });

  it('has no negative latency if our clock is behind that of the producer', async () => {
    const { events, moved } = someEvents();
    const future = delivery({ source: { ...source, timestamp: recordedAt + 60_000 } });
    events.deliveryAttempted(attempted({ delivery: future }));
    expect(await moved()).not.toHaveProperty('delivery_latency_seconds_sum{event_type="certificate_completed"}');
    expect(await moved()).toMatchObject({ 'delivery_latency_seconds_count{event_type="certificate_completed"}': 1 });
  });

  it('of a record without a timestamp has no latency', async () => {
    const { events, moved } = someEvents();
    events.deliveryAttempted(attempted({ delivery: delivery({ source: { ...source, timestamp: undefined } }) }));
    expect(Object.keys(await moved()).filter((series) => /latency|queue_delay/.test(series))).toEqual([]);
  });

  it('is not counted if the service itself failed', async () => {
    const { events, moved } = someEvents();
    events.deliveryAttempted(attempted({ outcome: { kind: 'local_error', message: 'no ports' } }));
    expect(await moved()).toEqual({});
  });
});

describe('a deferral', () => {
  const settlement = { kind: 'defer', tier: 0, dueAt, deferrals: 1 } as const;

  it('is logged with its reason, and counted by it', async () => {
    const { events, lines, moved } = someEvents();
    const failure = { reason: 'local_error', status: undefined, message: 'proxy refused' } as const;
    events.deliveryDeferred({ delivery: delivery(), reason: 'local_error', failure, settlement });
    expect(lines()).toEqual([
      {
        ...deferred,
        outcome: 'local_error',
        failure: 'proxy refused',
        settlement: 'defer',
        tier: '10s',
        dueAt: dueText,
      },
    ]);
    expect(await moved()).toEqual({ 'deliveries_deferred_total{reason="local_error"}': 1 });
  });

  it.each(['not_due', 'draining'] as const)('for %s is counted, and logged at debug level', async (reason) => {
    const quiet = someEvents('info');
    quiet.events.deliveryDeferred({ delivery: delivery(), reason, failure: undefined, settlement });
    expect(quiet.lines()).toEqual([]);
    expect(await quiet.moved()).toEqual({ [`deliveries_deferred_total{reason="${reason}"}`]: 1 });
    const debugging = someEvents('debug');
    debugging.events.deliveryDeferred({ delivery: delivery(), reason, failure: undefined, settlement });
    expect(debugging.lines()).toMatchObject([{ level: 'debug', event: 'delivery.deferred', outcome: reason }]);
  });
});

describe('the end of a delivery', () => {
  it('as unsubscribed is logged', () => {
    const { events, lines } = someEvents();
    events.deliveryUnsubscribed(delivery());
    expect(lines()).toEqual([{ level: 'info', event: 'delivery.unsubscribed', ...ids, attempt: 1 }]);
  });

  it('as a dead letter is a warning; the write itself is counted where it is acknowledged', async () => {
    const { events, lines, moved } = someEvents();
    events.deliveryDeadLettered(delivery({ attempt: 7 }), 'exhausted');
    expect(lines()).toEqual([
      { level: 'warn', event: 'delivery.dead_lettered', ...ids, attempt: 7, reason: 'exhausted' },
    ]);
    expect(await moved()).toEqual({});
  });
});

describe('a record', () => {
  const record = aRecord({ partition: 3, offset: 42 });
  const position = { topic: 'certificates.completed', partition: 3, offset: 42 };

  it('is counted when it is consumed and when it is settled, without a log line', async () => {
    const { events, lines, moved } = someEvents();
    events.recordConsumed(record);
    events.recordSettled(record, 'unclaimed');
    expect(lines()).toEqual([]);
    expect(await moved()).toEqual({
      'records_consumed_total{topic="certificates.completed"}': 1,
      'records_settled_total{result="unclaimed",topic="certificates.completed"}': 1,
    });
  });

  it('that is rejected is a warning with its position and the problem', () => {
    const { events, lines } = someEvents();
    events.recordRejected(record, { reason: 'invalid_record', message: '_id must be a non-empty string' });
    const rejection = { reason: 'invalid_record', failure: '_id must be a non-empty string' };
    expect(lines()).toEqual([{ level: 'warn', event: 'record.rejected', ...position, ...rejection }]);
  });

  it('that our own code can not handle is an error without its message', () => {
    const { events, lines, text } = someEvents();
    events.recordFailed(record, new TypeError('can not read "hunter2"'));
    expect(lines()).toMatchObject([
      { level: 'error', event: 'record.failed', ...position, error: { name: 'TypeError', frames: expect.any(Array) } },
    ]);
    expect(text()).not.toContain('hunter2');
  });

  it('counts each missing field', async () => {
    const { events, moved } = someEvents();
    events.certificateDeviated(['_badgeId', 'ruleData.name']);
    events.certificateDeviated(['_badgeId']);
    expect(await moved()).toEqual({
      'contract_deviations_total{field="_badgeId"}': 2,
      'contract_deviations_total{field="ruleData.name"}': 1,
    });
  });
});

describe('each log line about a delivery', () => {
  it('names the trace of its certificate', () => {
    const { events, lines } = someEvents();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const traced = delivery({ trace: { traceparent, tracestate: 'vendor=opaque' } });
    events.deliveryAttempted(attempted({ delivery: traced }));
    events.deliveryUnsubscribed(traced);
    events.deliveryDeadLettered(traced, 'expired');
    const named = { traceId: '0af7651916cd43dd8448eb211c80319c', parentId: 'b7ad6b7169203331' };
    expect(lines()).toMatchObject([named, named, named]);
  });
});

describe('no log line', () => {
  it('contains the body, the key or the trace headers of a delivery', () => {
    const { events, text } = someEvents('trace');
    const confidential = delivery({
      body: Buffer.from('{"name":"hunter2"}'),
      key: Buffer.from('hunter2'),
      trace: { traceparent: 'hunter2', tracestate: 'hunter2' },
    });
    events.deliveryAttempted(attempted({ delivery: confidential }));
    events.deliveryUnsubscribed(confidential);
    events.deliveryDeadLettered(confidential, 'expired');
    const settlement = { kind: 'defer', tier: 0, dueAt, deferrals: 1 } as const;
    events.deliveryDeferred({ delivery: confidential, reason: 'paused', failure: undefined, settlement });
    expect(text()).not.toMatch(/hunter2|104,117,110/);
    expect(text().split('\n')).toHaveLength(5);
  });
});
