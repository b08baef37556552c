import { describe, expect, it } from 'vitest';
import { Circuit } from '../../src/flow/circuit.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { success, timeout as failure } from './support/gates-under-test.ts';

const policy = { failures: 3, cooldownMs: 1000 };

describe('Circuit', () => {
  it('opens after the set number of failures in a row, and a success in between resets the count', () => {
    const circuit = new Circuit(policy);
    for (const outcome of [failure, failure, success, failure, failure]) circuit.ended(outcome, false, 0);
    expect(circuit.state(0)).toBe('closed');
    circuit.ended(failure, false, 0);
    expect(circuit.state(999)).toBe('open');
    expect(circuit.admits(999)).toBe('no');
  });

  it('knows since when it fails, from the first failure in a row', () => {
    const circuit = new Circuit(policy);
    const since = [failure, failure, success, failure].map((outcome, now) => {
      circuit.ended(outcome, false, now);
      return circuit.failingSince;
    });
    expect(since).toEqual([0, 0, undefined, 3]);
  });

  it('has failed since before a success that is withdrawn', () => {
    const circuit = new Circuit(policy);
    circuit.ended(failure, false, 5);
    const reset = circuit.ended(success, false, 6);
    if (reset !== undefined) circuit.withdraw(reset, false, 7);
    expect([circuit.failures, circuit.failingSince]).toEqual([2, 5]);
  });

  it.each<Outcome>([{ kind: 'local_error', message: 'no descriptors' }, { kind: 'draining' }])(
    'does not count $kind, which says nothing about the endpoint',
    (outcome) => {
      const circuit = new Circuit(policy);
      for (let round = 0; round < 10; round += 1) circuit.ended(outcome, false, 0);
      expect(circuit.state(0)).toBe('closed');
    },
  );

  it('allows one probe after the cooldown, and the others wait for its outcome', () => {
    const circuit = opened();
    expect(circuit.admits(1000)).toBe('yes');
    expect(circuit.started(1000)).toBe(true);
    expect(circuit.admits(1000)).toBe('wait');
  });

  it('closes when the probe succeeds, and then grows from one request at once', () => {
    const circuit = opened();
    circuit.ended(success, circuit.started(1000), 1000);
    expect(circuit.state(1000)).toBe('closed');
    expect(circuit.limit).toBe(1);
    circuit.ended(success, false, 1000);
    expect(circuit.limit).toBe(2);
  });

  it('allows no more requests at once than failures are left before it opens, until a success', () => {
    const circuit = new Circuit(policy);
    const limits = [failure, failure, success].map((outcome) => {
      circuit.ended(outcome, false, 0);
      return circuit.limit;
    });
    expect(limits.map((limit) => Math.min(limit, 1000))).toEqual([2, 1, 1000]);
  });

  it('doubles the cooldown with each failed probe, up to twentyfold', () => {
    const circuit = opened();
    const cooldowns: number[] = [];
    let now = 1000;
    for (let probe = 0; probe < 6; probe += 1) {
      circuit.ended(failure, circuit.started(now), now);
      const reopened = now;
      while (circuit.admits(now) === 'no') now += 500;
      cooldowns.push(now - reopened);
    }
    expect(cooldowns).toEqual([2000, 4000, 8000, 16_000, 20_000, 20_000]);
  });

  it('waits for its probe while a request from before the cooldown ends', () => {
    const circuit = opened();
    circuit.started(1000);
    circuit.ended({ kind: 'draining' }, false, 1000);
    expect(circuit.admits(1000)).toBe('wait');
    circuit.ended(failure, false, 1000);
    expect(circuit.admits(1000)).toBe('wait');
  });

  it('probes again when the probe ended without an attempt', () => {
    const circuit = opened();
    circuit.ended({ kind: 'draining' }, circuit.started(1000), 1000);
    expect(circuit.admits(1000)).toBe('yes');
  });

  it.each([429, 503])('opens at once for as long as a %s asks, at most its longest cooldown', (status) => {
    const circuit = new Circuit(policy);
    circuit.ended({ kind: 'http_error', status, retryAfterMs: 5000 }, false, 0);
    expect(circuit.state(4999)).toBe('open');
    expect(circuit.state(5000)).toBe('half_open');
    const patient = new Circuit(policy);
    patient.ended({ kind: 'http_error', status, retryAfterMs: 3_600_000 }, false, 0);
    expect(patient.state(19_999)).toBe('open');
    expect(patient.state(20_000)).toBe('half_open');
  });

  it.each([
    { status: 429, retryAfterMs: undefined },
    { status: 503, retryAfterMs: 0 },
    { status: 500, retryAfterMs: 5000 },
  ])('counts $status with Retry-After $retryAfterMs as one failure', ({ status, retryAfterMs }) => {
    const circuit = new Circuit(policy);
    circuit.ended({ kind: 'http_error', status, retryAfterMs }, false, 0);
    expect(circuit.state(0)).toBe('closed');
    expect(circuit.failures).toBe(1);
  });

  it('probes after the time that its probe is asked for, at least a second, without a longer cooldown', () => {
    const circuit = opened();
    circuit.ended(asksFor(300), circuit.started(1000), 1000);
    expect([circuit.state(1999), circuit.state(2000)]).toEqual(['open', 'half_open']);
    circuit.ended(failure, circuit.started(2000), 2000);
    expect([circuit.state(3999), circuit.state(4000)]).toEqual(['open', 'half_open']);
    expect(circuit.failures).toBe(policy.failures + 1);
  });

  it('counts no failure when it is asked for time, and is failing until a success', () => {
    const circuit = new Circuit(policy);
    circuit.ended(asksFor(2000), false, 0);
    expect([circuit.failures, circuit.failingSince, circuit.isFailing]).toEqual([0, undefined, true]);
    circuit.ended(success, circuit.started(2000), 2000);
    expect([circuit.state(2000), circuit.isFailing]).toEqual(['closed', false]);
  });

  it('lets deliveries wait for the end of a pause, unlike that of a cooldown', () => {
    const circuit = new Circuit(policy);
    circuit.ended(asksFor(2000), false, 0);
    expect([circuit.admits(1999), circuit.pausedUntil(1999)]).toEqual(['wait', 2000]);
    expect([circuit.admits(2000), circuit.pausedUntil(2000)]).toEqual(['yes', undefined]);
    expect([opened().admits(999), opened().pausedUntil(999)]).toEqual(['no', undefined]);
  });

  it('ends no pause early, for a success that was sent before it or for a shorter time', () => {
    const circuit = new Circuit(policy);
    for (const outcome of [asksFor(5000), success, asksFor(1000)]) circuit.ended(outcome, false, 0);
    expect([circuit.admits(4999), circuit.admits(5000)]).toEqual(['wait', 'yes']);
  });

  it('never shortens a cooldown when it is asked for time', () => {
    const circuit = opened();
    circuit.ended(asksFor(1000), false, 0);
    circuit.ended(asksFor(1000), false, 500);
    expect([circuit.admits(999), circuit.admits(1499), circuit.admits(1500)]).toEqual(['no', 'no', 'yes']);
  });

  it('counts each pause as a failure after as many pauses as failures would open it, until a success', () => {
    const circuit = new Circuit(policy);
    const pauses = Array.from({ length: 5 }, () => pauseMs(circuit));
    expect(pauses).toEqual([1000, 1000, 1000, 2000, 4000]);
    expect(circuit.failures).toBe(2);
    const now = circuit.openUntil(0) ?? 0;
    circuit.ended(success, circuit.started(now), now);
    expect([pauseMs(circuit, now), circuit.failures]).toEqual([1000, 0]);
  });

  it('takes the answers to requests that were in flight together for one pause', () => {
    const circuit = new Circuit(policy);
    for (let request = 0; request < 16; request += 1) circuit.ended(asksFor(1000), false, 0);
    expect([circuit.failures, circuit.admits(999), circuit.admits(1000)]).toEqual([0, 'wait', 'yes']);
  });

  it('opens at once when the endpoint sends more than it may', () => {
    const circuit = new Circuit(policy);
    circuit.ended({ kind: 'protocol_error', message: 'too much', hasExceeded: true }, false, 0);
    expect(circuit.state(0)).toBe('open');
    expect(circuit.failures).toBe(1);
  });

  it.each([1, 2, 5])('opens when successes are withdrawn, of %d requests at once', (atOnce) => {
    const circuit = new Circuit(policy);
    for (let count = 0; count < policy.failures; count += atOnce) {
      const successes = Array.from({ length: atOnce }, () => circuit.ended(success, false, 0));
      for (const reset of successes.filter((one) => one !== undefined)) circuit.withdraw(reset, false, 0);
    }
    expect(circuit.state(0)).toBe('open');
  });

  it('opens again, for twice as long, when the success of its probe is withdrawn', () => {
    const circuit = opened();
    const reset = circuit.ended(success, circuit.started(1000), 1000);
    expect(circuit.state(1000)).toBe('closed');
    if (reset !== undefined) circuit.withdraw(reset, true, 1000);
    expect(circuit.state(2999)).toBe('open');
    expect(circuit.state(3000)).toBe('half_open');
  });
});

/** The answer of an endpoint that asks to get nothing for this time. */
function asksFor(retryAfterMs: number): Outcome {
  return { kind: 'http_error', status: 429, retryAfterMs };
}

/** Lets the endpoint ask for a second as soon as it gets a request. Returns for how long the circuit is open then. */
function pauseMs(circuit: Circuit, since = 0): number {
  const now = circuit.openUntil(since) ?? since;
  circuit.ended(asksFor(1000), circuit.started(now), now);
  return (circuit.openUntil(now) ?? now) - now;
}

/** Returns a circuit that opened at time 0 for its first cooldown. */
function opened(): Circuit {
  const circuit = new Circuit(policy);
  for (let round = 0; round < policy.failures; round += 1) circuit.ended(failure, false, 0);
  return circuit;
}
