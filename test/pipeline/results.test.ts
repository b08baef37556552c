import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { Assignment } from '../../src/kafka/consumer/assignment.ts';
import type { ResultPublisher } from '../../src/pipeline/delivery-reporter.ts';
import type { Handled } from '../../src/pipeline/ports.ts';
import type { RecordResultPublisher } from '../../src/pipeline/undelivered-records.ts';
import { aCertificate, aRecord } from '../support/builders.ts';
import { aRecordContext } from '../support/service/record-context.ts';
import { almostTooOldMs, aWebhook, delivered, startPipeline, type PipelineScript } from './scripted-pipeline.ts';

const failed: Outcome = { kind: 'http_error', status: 500, retryAfterMs: undefined };

/** A results topic that acknowledges nothing until it is told to. */
class HeldResults implements ResultPublisher, RecordResultPublisher {
  readonly published: string[] = [];
  readonly #acknowledged = Promise.withResolvers<'written' | 'abandoned'>();

  publish: ResultPublisher['publish'] = ({ webhookId, attempt }, { event, outcome, settlement, reason }) => {
    const words = [event, webhookId, attempt, outcome, settlement?.kind, reason];
    this.published.push(words.filter((word) => word !== undefined).join(' '));
    return this.#acknowledged.promise;
  };

  publishRecord: RecordResultPublisher['publishRecord'] = (_record, { type, reason, certificate }) => {
    this.published.push([type, reason, ...(certificate === undefined ? [] : [certificate.ownerId])].join(' '));
    return this.#acknowledged.promise;
  };

  end(how: 'written' | 'abandoned'): void {
    this.#acknowledged.resolve(how);
  }
}

interface Situation {
  readonly outcomes: readonly Outcome[];
  readonly ageMs?: number;
  readonly inMs?: number;
  readonly handled: Handled;
}

const gone: Outcome = { kind: 'unsubscribed' };
const situations: readonly (readonly [when: string, published: readonly string[], situation: Situation])[] = [
  ['it was accepted', ['delivery.attempted w 2 delivered done'], { outcomes: [delivered], handled: 'delivered' }],
  ['its attempt failed', ['delivery.attempted w 2 http_error retry'], { outcomes: [failed], handled: 'retried' }],
  [
    'it has no time left',
    ['delivery.attempted w 2 http_error dead', 'delivery.dead_lettered w 2 expired'],
    { outcomes: [failed], ageMs: almostTooOldMs, handled: 'dead_lettered' },
  ],
  [
    'the circuit is open',
    ['delivery.deferred w 2 circuit_open defer'],
    { outcomes: [{ kind: 'circuit_open' }], handled: 'retried' },
  ],
  ['it is not due', ['delivery.deferred w 2 not_due defer'], { outcomes: [], inMs: 30_000, handled: 'retried' }],
  ['its webhook is gone', ['delivery.unsubscribed w 2'], { outcomes: [gone, gone], handled: 'unsubscribed' }],
];

describe('a delivery with a results topic', () => {
  it.each(situations)('is settled once its records are acknowledged, when %s', async (_, published, situation) => {
    const { outcomes, ageMs = 0, inMs = 0, handled } = situation;
    const results = new HeldResults();
    const calls: string[] = [];
    const scripted = startPipeline({ outcomes, results });
    const plannedAt = scripted.clock.now() - ageMs;
    const context = aRecordContext(undefined, { calls });
    const ending = scripted.retry({ webhookId: 'w', plannedAt }, { inMs, context });
    await scripted.clock.advance(60_000);
    expect([results.published, calls]).toEqual([published, expect.not.arrayContaining(['ended'])]);
    expect(calls).toContain('leaves the window');
    results.end('written');
    expect(await ending).toBe(handled);
    expect(calls).toContain('ended');
  });

  it('stays unsettled if its assignment ended before the topic took its record', async () => {
    const results = new HeldResults();
    const scripted = startPipeline({ webhooks: [aWebhook('w')], results });
    const handled = scripted.pipeline.handleCertificate(aRecord(), aRecordContext(new Assignment({})));
    await scripted.clock.advance(1000);
    results.end('abandoned');
    expect(await handled).toBe('abandoned');
  });

  it('is written to its tier while the results topic takes nothing', async () => {
    const scripted = startPipeline({ webhooks: [aWebhook('w')], outcomes: [failed], results: new HeldResults() });
    void scripted.pipeline.handleCertificate(aRecord(), aRecordContext());
    await scripted.clock.advance(1000);
    expect(scripted.written).toEqual(['tier 0 attempt 2']);
  });
});

const rejection = { reason: 'invalid_record', message: '_id is missing' } as const;
const [disabled, notWanted] = [{ ...aWebhook('d', false), state: 'disabled' as const }, aWebhook('n', false)];
const owner = aCertificate().ownerId;
const undelivered: readonly (readonly [what: string, told: string, handled: Handled, script: PipelineScript])[] = [
  ['an owner without webhooks', `record.unclaimed no_webhook ${owner}`, 'unclaimed', {}],
  ['disabled webhooks', `record.unclaimed disabled ${owner}`, 'unclaimed', { webhooks: [disabled] }],
  ['another event', `record.unclaimed other_event ${owner}`, 'unclaimed', { webhooks: [disabled, notWanted] }],
  ['no value', 'record.ignored null_value', 'ignored', { decoded: { kind: 'ignored', why: 'null_value' } }],
  ['no certificate', 'record.rejected invalid_record', 'dead_lettered', { decoded: { kind: 'rejected', rejection } }],
  ['our fault', 'record.rejected internal_error', 'dead_lettered', { webhooks: [aWebhook('w')], throwsOn: 'w' }],
];

describe('a record that led to no delivery, because of', () => {
  it.each(undelivered)('%s, is settled once its result is acknowledged', async (_, told, handled, script) => {
    const results = new HeldResults();
    const scripted = startPipeline({ ...script, recordResults: results });
    const ending = scripted.pipeline.handleCertificate(aRecord(), aRecordContext());
    const later = scripted.clock.advance(1000).then(() => 'not settled');
    expect(await Promise.race([ending, later])).toBe('not settled');
    expect(results.published).toEqual([told]);
    results.end('written');
    expect(await ending).toBe(handled);
  });

  it.each(undelivered)('%s, stays unsettled if its assignment ended before', async (_, _told, _handled, script) => {
    const results = new HeldResults();
    const scripted = startPipeline({ ...script, recordResults: results });
    results.end('abandoned');
    expect(await scripted.pipeline.handleCertificate(aRecord(), aRecordContext())).toBe('abandoned');
  });

  it.each(undelivered)('%s, has no result unless they include records', async (_, _told, handled, script) => {
    const results = new HeldResults();
    const scripted = startPipeline({ ...script, results });
    expect(await scripted.pipeline.handleCertificate(aRecord(), aRecordContext())).toBe(handled);
    expect(results.published).toEqual([]);
  });
});
