import { describe, expect, it } from 'vitest';
import { conformanceLines } from '../../src/cli/try/conformance/run-conformance.ts';
import { forNextAttempt } from '../../src/deliveries/attempt-result.ts';
import type { Delivery } from '../../src/deliveries/delivery.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { createRequestHeads } from '../../src/deliveries/request.ts';
import type { Schedule } from '../../src/deliveries/schedule.ts';
import { settle } from '../../src/deliveries/settle.ts';
import { parseDuration } from '../../src/lib/units.ts';
import { authority, ClientUnderTest, sendWith } from '../http/client-under-test.ts';
import { aCertificateDocument, aConfiguration, aDelivery, json, type Document } from '../support/builders.ts';
import { startTlsListener } from '../support/endpoints/listeners.ts';
import { refusedResponses, toleratedResponses } from '../support/endpoints/odd-responses.ts';
import { configurationFrom } from '../support/service/parsed-configuration.ts';
import { defaultOf } from '../support/service/default-settings.ts';
import { readPage } from './support/page.ts';

const page = readPage('docs/subscribers.md');
const schedule: Schedule = {
  delaysMs: defaultOf('RETRY_DELAYS').split(',').map(milliseconds),
  maxAgeMs: milliseconds(defaultOf('DELIVERY_MAX_AGE')),
};

describe('the page for subscribers', () => {
  it('shows a request byte for byte', async () => {
    const chunks: Buffer[] = [];
    await using server = await startTlsListener(authority.issue({ names: ['hooks.example.com'] }), (tls) => {
      tls.on('data', (chunk: Buffer) => chunks.push(chunk));
      tls.once('data', () => tls.end('HTTP/1.1 204 No Content\r\n\r\n'));
    });
    await using sender = new ClientUnderTest();
    const head = createRequestHeads(noOptionalHeaders).headOf(configurationFrom(document(server.port)).endpoint);
    await sendWith(sender.client, { head, extraHeaders: [], body: json(aCertificateDocument()) }).outcome;
    const shown = page.blocks.find(({ language }) => language === 'http')?.text ?? '';
    const [shownHead = '', body = ''] = shown.split('\n\n');
    // The test server has another port.
    const received = String(Buffer.concat(chunks)).replace(`:${server.port}\r\n`, '\r\n');
    expect(received).toBe(`${shownHead.replaceAll('\n', '\r\n')}\r\n\r\n${body.trimEnd()}`);
  });

  it.each([
    ['DELIVERY_TIMEOUT', '15s', 'nothing within 15 s'],
    ['DELIVERY_CONNECT_TIMEOUT', '5s', '5 s of them are for the lookup, the connection and TLS'],
    ['DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT', '16', 'At most 16 requests at once'],
    ['DELIVERY_MAX_AGE', '72h', 'an age of 72 hours'],
    ['DELIVERY_ALLOWED_PORTS', '443', 'on port 443'],
    ['CIRCUIT_FAILURES', '10', '**Ten failures in a row**'],
    ['CIRCUIT_COOLDOWN', '30s', 'For 30 s nothing is sent'],
    ['RETRY_DELAYS', '10s,1m,10m,1h,6h,24h,36h', '| 10 s | 1 min | 10 min | 1 h | 6 h | 24 h | 36 h |'],
  ] as const)('states the default of %s', (name, standard, phrase) => {
    expect(defaultOf(name)).toBe(standard);
    expect(page.text.replaceAll(/\s+/g, ' ')).toContain(phrase);
  });

  it('lists the responses that are tolerated, and those that are refused', () => {
    const [, ...rows] = page.tables.find(([head]) => head?.[0] === 'Your response') ?? [];
    expect(rows).toEqual([
      ...toleratedResponses.map(({ row }) => [row, 'its status counts']),
      ...refusedResponses.map(({ row }) => [row, 'a failure, retried']),
    ]);
  });

  it('lists the lines of the conformance table', () => {
    const [, ...rows] = page.tables.find(([head]) => head?.[0] === 'Line') ?? [];
    expect(rows).toEqual(Object.entries(conformanceLines).map(([name, { sends, expects }]) => [name, sends, expects]));
  });

  const outages = page.tables
    .filter(([head]) => head?.[0] === 'You were down for')
    .flatMap(([, ...rows]) => rows)
    .map(([down = '', recovery = '']) => ({ down, recovery }));

  it.each(outages.filter(({ down }) => !down.startsWith('more')))(
    'is right about an outage of $down',
    ({ down, recovery }) => {
      const waits = waitsAfter(durationMs(down));
      expect(waits).not.toContain('dead');
      expect(Math.max(...waits.filter((wait) => wait !== 'dead'))).toBeLessThanOrEqual(durationMs(recovery));
    },
  );

  it('is right about the outage after which the first deliveries are dead-lettered', () => {
    const hour = 3_600_000;
    expect(waitsAfter(67 * hour)).not.toContain('dead');
    expect(waitsAfter(68 * hour)).toContain('dead');
    expect(outages.at(-1)?.down).toBe('more than 67 h');
  });

  it('adds up the delays', () => {
    const [, ...rows] = page.tables.find(([head]) => head?.[0] === 'After attempt') ?? [];
    const [delays, sums] = rows.map(([, ...cells]) => cells.slice(0, schedule.delaysMs.length).map(cellMs));
    const wholeMinutes = (ms: number): number => (ms < 3_600_000 ? ms : Math.floor(ms / 60_000) * 60_000);
    let sum = 0;
    expect(delays).toEqual(schedule.delaysMs);
    expect(sums).toEqual(schedule.delaysMs.map((ms) => wholeMinutes((sum += ms))));
  });
});

const noOptionalHeaders = {
  userAgent: 'certificate-webhooks',
  eventTypeHeader: undefined,
  deliveryIdHeader: undefined,
};

function document(port: number): Document {
  return aConfiguration({ url: `https://hooks.example.com:${port}/certificates?tenant=7` });
}

/** Returns how long after an outage its deliveries arrive: those that were attempted, and those that the circuit deferred. */
function waitsAfter(downMs: number): readonly (number | 'dead')[] {
  const failures: readonly Outcome[] = [{ kind: 'circuit_open' }, { kind: 'timeout', message: '' }];
  const planned = Array.from({ length: 500 }, (_, index) => Math.floor((index * downMs) / 500));
  return failures.flatMap((failure) =>
    planned.map((plannedAt) => {
      const deliveredAt = deliverAfter(aDelivery({ plannedAt }), failure, { now: plannedAt, until: downMs });
      return deliveredAt === 'dead' ? 'dead' : deliveredAt - downMs;
    }),
  );
}

/** Returns when the delivery arrives, if every attempt before `until` fails like this. */
function deliverAfter(
  delivery: Delivery,
  failure: Outcome,
  { now, until }: { readonly now: number; readonly until: number },
): number | 'dead' {
  if (now >= until) return now;
  const settlement = settle(delivery, failure, schedule, now);
  if (settlement.kind === 'dead' || settlement.kind === 'done') return 'dead';
  return deliverAfter(forNextAttempt(delivery, settlement), failure, { now: settlement.dueAt, until });
}

/** Reads `10 seconds` or `a day`. */
function durationMs(text: string): number {
  const [, number = '', unit = ''] = /^(\d+|a) (second|minute|hour|day)/.exec(text) ?? [];
  const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 }[unit] ?? Number.NaN;
  return (number === 'a' ? 1 : Number(number)) * unitMs;
}

/** Reads `1 h 11 min`. */
function cellMs(cell: string): number {
  return cell.split(/(?<=[a-z]) /).reduce((sum, part) => sum + milliseconds(part.replace(/ (.).*/, '$1')), 0);
}

function milliseconds(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${text} is not a duration`);
  return ms;
}
