import { describe, expect, it } from 'vitest';
import { checkRun } from './checkers/check-run.ts';
import { describeFailure } from './failure-report.ts';
import { runScenario } from './run-scenario.ts';
import type { Action, Configuration, Scenario } from './scenario/scenario.ts';

const minuteMs = 60_000;
/** Five minutes of them are written at once. */
const minutes = 5;
const [webhookId, ownerId] = ['hook-1', 'owner-1'];

function configurationWith(perMinute: number): Configuration {
  const limits = { inFlight: 2, perMinute };
  const events = ['certificate_completed'] as const;
  return { version: 1, ownerId, enabled: true, paused: false, events, isValid: true, limits };
}

/** All certificates of the owner are in one partition, as they are when its id is their key. */
function backlogOf(count: number): readonly Action[] {
  return Array.from({ length: count }, (_, number) => ({
    kind: 'certificate',
    atMs: 5000,
    certificateId: `certificate-${number}`,
    ownerId,
    eventType: 'certificate_completed',
    partition: 0,
    damage: 'none',
  }));
}

function scenarioOf(perMinute: number, processes: readonly Action[]): Scenario {
  return {
    seed: 1,
    isGraceful: false,
    settings: {
      partitions: 1,
      tierPartitions: 1,
      tiersMs: [10_000, 60_000],
      maxAgeMs: 30 * minuteMs,
      maxInFlight: 16,
      maxInFlightPerEndpoint: 4,
      maxWaitingPerEndpoint: 64,
      maxRecords: 1000,
      maxSpan: 1000,
      maxRecordBytes: 1_000_000,
      hasResults: false,
    },
    actions: [
      { kind: 'start', atMs: 0 },
      { kind: 'configuration', atMs: 0, webhookId, configuration: configurationWith(perMinute) },
      ...backlogOf(minutes * perMinute),
      ...processes,
    ],
    networkFaults: [],
    behaviours: new Map([[webhookId, [{ fromMs: 0, kind: 'prompt' }]]]),
    faultsEndAtMs: minutes * minuteMs,
  };
}

/** The lives of the processes. One of them has the partition at any time. */
const lives: Readonly<Record<string, readonly Action[]>> = {
  'one process has its partition': [],
  'processes join, stop and start': [
    { kind: 'start', atMs: 60_000 },
    { kind: 'stop', atMs: 100_000, which: 0 },
    { kind: 'start', atMs: 101_000 },
    { kind: 'stop', atMs: 160_000, which: 0 },
  ],
  'a process is killed, and another one stalls': [
    { kind: 'start', atMs: 60_000 },
    { kind: 'kill', atMs: 100_000, which: 0 },
    { kind: 'start', atMs: 130_000 },
    { kind: 'stall', atMs: 170_000, which: 0, ms: 20_000 },
  ],
};

describe.each([6, 60])('a webhook with %d attempts a minute', (perMinute) => {
  it.each(Object.keys(lives))(
    'gets exactly that in its fullest minute, while %s',
    { timeout: 600_000 },
    async (life) => {
      const run = await runScenario(scenarioOf(perMinute, lives[life] ?? []));
      const violations = checkRun(run);
      expect(violations.length === 0 ? '' : describeFailure(run, violations)).toBe('');
      const sent = run.entries.filter(({ kind }) => kind === 'sent').map(({ at }) => at);
      expect(mostInMinute(sent)).toBe(perMinute);
      const delivered = run.entries.filter((entry) => entry.kind === 'answered' && entry.outcome === 'delivered');
      expect(delivered).toHaveLength(minutes * perMinute);
    },
  );
});

/** Returns the most of these times that are within less than a minute. */
function mostInMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + minuteMs).length));
}
