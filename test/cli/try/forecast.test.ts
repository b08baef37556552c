import { describe, expect, it } from 'vitest';
import { forecast } from '../../../src/cli/try/forecast.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import { aDelivery } from '../../support/builders.ts';

const hour = 3_600_000;
const delivery = aDelivery();
const delaysMs = [10_000, 60_000, 600_000];
const failed: Outcome = { kind: 'timeout', message: 'late' };

function foretell(outcome: Outcome, { maxAgeMs = 72 * hour, failures = 10, delays = delaysMs } = {}) {
  const schedule = { delaysMs: delays, maxAgeMs };
  return forecast(delivery, outcome, { schedule, circuit: { failures, cooldownMs: 30_000 }, now: delivery.plannedAt });
}

describe('the forecast', () => {
  it.each([
    [
      'names each wait',
      foretell(failed),
      ['retry this in 10 s, then after 1 min and 10 min, and then dead-letter it, because its attempts are exhausted'],
    ],
    [
      'ends when the delivery is too old',
      foretell(failed, { maxAgeMs: 15_000 }),
      ['retry this in 10 s, and then dead-letter it, because it is too old by then'],
    ],
    [
      'names a circuit that opens at once',
      foretell(failed, { failures: 1, delays: [10_000] }),
      ['retry this in 10 s, and then dead-letter it, because its attempts are exhausted', 'for 30 s, nothing else'],
    ],
    [
      'bounds the circuit by its longest cooldown, and the wait by the longest tier',
      foretell({ kind: 'http_error', status: 503, retryAfterMs: 48 * hour }, { delays: [10_000, hour] }),
      ['retry this in 1 h, then after 1 h, and then', 'for 10 min, nothing else'],
    ],
    [
      'opens no circuit for a Retry-After of another status',
      foretell({ kind: 'http_error', status: 500, retryAfterMs: 60_000 }, { delays: [10_000, 60_000] }),
      ['retry this in 1 min, then after 1 min, and then'],
    ],
    [
      'opens the circuit of an endpoint that sends too much',
      foretell({ kind: 'protocol_error', message: 'too much', hasExceeded: true }, { delays: [10_000] }),
      ['retry this in 10 s, and then', 'for 30 s, nothing else'],
    ],
    [
      'counts no attempt for a fault of this side',
      foretell({ kind: 'local_error', message: 'no proxy' }, { maxAgeMs: 25 * 60_000 }),
      [
        'count no attempt. It would try again in 10 s, then after 1 min, 10 min and 10 min, ' +
          'and then dead-letter it, because it is too old by then',
      ],
    ],
  ])('%s', (_, lines, expected) => {
    expect(lines).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('is short for a delivery that is accepted, and for one that is too old at once', () => {
    expect(foretell({ kind: 'delivered', status: 200 })).toEqual([
      'The service would count this as delivered, and not send it again.',
    ]);
    expect(foretell(failed, { maxAgeMs: 1 })).toEqual([
      'The service would dead-letter it, because it is too old by then.',
    ]);
  });
});
