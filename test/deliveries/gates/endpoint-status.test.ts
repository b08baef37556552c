import { describe, expect, it } from 'vitest';
import { endpointsStatus } from '../../../src/deliveries/gates/endpoint-status.ts';
import { Gate, type GatePolicy } from '../../../src/deliveries/gates/gate.ts';
import type { Outcome } from '../../../src/deliveries/outcome.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { ignoredProgress } from '../../support/service/record-context.ts';

const now = 1_000_000;
const bootedAt = Date.UTC(2026, 10, 21, 12);
const policy: GatePolicy = {
  maxInFlight: 16,
  maxWaiting: 256,
  maxWaitMs: 15_000,
  maxAgeMs: 259_200_000,
  failures: 3,
  cooldownMs: 30_000,
};
const unavailable: Outcome = { kind: 'http_error', status: 503, retryAfterMs: undefined };
const silent: Outcome = { kind: 'timeout', message: 'no response within 15 s' };

function clockAt(monotonic: number): Pick<Clock, 'now' | 'monotonic'> {
  return { now: () => bootedAt + monotonic, monotonic: () => monotonic };
}

interface GateHistory {
  readonly outcomes?: readonly Outcome[];
  readonly waiting?: number;
  /** Requests in flight that are late. */
  readonly late?: number;
}

function aGate(id: string, { outcomes = [], waiting = 0, late = 0 }: GateHistory): Gate {
  const url = new URL('https://hooks.test/secret-path?token=hush');
  const endpoint = { url, authentication: { authType: 'api_key', token: 'hush' } as const, customHeaders: {} };
  const webhook = { id, ownerId: 'owner', state: 'active' as const, wants: () => true, endpoint: () => endpoint };
  const gate = new Gate(webhook, policy);
  for (const outcome of outcomes) gate.finish(outcome, gate.start(now), now);
  for (let number = 0; number < waiting; number += 1) {
    const state = { isGone: false, isOutside: false };
    gate.enqueue({ pool: 'first', progress: ignoredProgress, settle: () => undefined, ...state }, now);
  }
  for (let number = 0; number < late; number += 1) {
    gate.count('first', true, 1);
    gate.countLate(1);
  }
  return gate;
}

describe('the endpoints that fail', () => {
  it('are those with a failure since their last success, the worst first', () => {
    const gates = [
      aGate('once', { outcomes: [silent] }),
      aGate('recovered', { outcomes: [silent, silent, { kind: 'delivered', status: 204 }] }),
      aGate('thrice', { outcomes: [silent, unavailable, unavailable], waiting: 2 }),
      aGate('never asked', {}),
    ];
    expect(endpointsStatus(gates, clockAt(now + 1000)).failing.first).toEqual([
      {
        configurationId: 'thrice',
        ownerId: 'owner',
        health: 'failing',
        circuit: 'open',
        openUntil: bootedAt + now + 30_000,
        failures: 3,
        inFlight: 0,
        waiting: 2,
        lastOutcome: 'http_error',
        lastStatus: 503,
        lastOutcomeAt: bootedAt + now,
      },
      expect.objectContaining({
        configurationId: 'once',
        circuit: 'closed',
        openUntil: undefined,
        lastStatus: undefined,
      }),
    ]);
  });

  it('have no time for a probe once that time has come', () => {
    const gates = [aGate('open', { outcomes: [silent, silent, silent] })];
    expect(endpointsStatus(gates, clockAt(now + 30_000)).failing.first).toMatchObject([
      { circuit: 'half_open', openUntil: undefined },
    ]);
  });

  it('are a hundred at most', () => {
    const gates = Array.from({ length: 120 }, (_, index) => aGate(String(index), { outcomes: [silent] }));
    const { circuits, failing } = endpointsStatus(gates, clockAt(now));
    expect([circuits.closed, failing.total, failing.first.length]).toEqual([120, 120, 100]);
  });
});

describe('the endpoints that work', () => {
  it('are listed when deliveries wait for them or are late, the most first, and otherwise counted', () => {
    const gates = [
      aGate('a few', { waiting: 2 }),
      aGate('none', {}),
      aGate('many', { waiting: 9, outcomes: [{ kind: 'delivered', status: 200 }] }),
      aGate('fails', { waiting: 99, outcomes: [silent, silent, silent] }),
      aGate('late', { late: 1, waiting: 3 }),
    ];
    const status = endpointsStatus(gates, clockAt(now));
    expect(status).toMatchObject({ circuits: { closed: 4, open: 1, half_open: 0 }, failing: { total: 1 } });
    expect(status.crowded.total).toBe(3);
    expect(status.crowded.first.map(({ configurationId, health }) => `${configurationId}: ${health}`)).toEqual([
      'many: healthy',
      'late: late',
      'a few: healthy',
    ]);
  });
});
