import { describe, expect, it } from 'vitest';
import { checkRun } from './checkers/check-run.ts';
import type { Violation } from './checkers/violation.ts';
import { replaceMembers } from './environment/replace-members.ts';
import { describeFailure } from './failure-report.ts';
import { noMutation, type Mutation } from './mutants/mutation.ts';
import { runScenario, type Run } from './run-scenario.ts';
import type { Action, Configuration, Scenario } from './scenario/scenario.ts';

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
const partitions = 4;
const [webhookId, ownerId] = ['hook-1', 'owner-1'];
const configuration: Configuration = {
  version: 1,
  ownerId,
  enabled: true,
  paused: false,
  events: ['certificate_completed'],
  isValid: true,
};

/** Two processes, of which one stalls past its session of 10 s while most deliveries wait for a slow endpoint. */
function scenarioOf(seed: number): Scenario {
  const certificates = Array.from({ length: 60 }, (_, number): Action => {
    const certificate = {
      certificateId: `certificate-${number}`,
      ownerId,
      eventType: 'certificate_completed',
    } as const;
    return { kind: 'certificate', atMs: 10_000, ...certificate, partition: number % partitions, damage: 'none' };
  });
  return {
    seed,
    isGraceful: false,
    settings: {
      partitions,
      tierPartitions: partitions,
      tiersMs: [10_000, 60_000],
      maxAgeMs: 600_000,
      maxInFlight: 16,
      maxInFlightPerEndpoint: 2,
      maxWaitingPerEndpoint: 64,
      maxRecords: 100,
      maxSpan: 100,
      maxRecordBytes: 1_000_000,
      hasResults: false,
    },
    actions: [
      { kind: 'start', atMs: 0 },
      { kind: 'start', atMs: 0 },
      { kind: 'configuration', atMs: 0, webhookId, configuration },
      ...certificates,
      { kind: 'stall', atMs: 10_500, which: seed % 2, ms: 15_000 },
    ],
    networkFaults: [],
    behaviours: new Map([[webhookId, [{ fromMs: 0, kind: 'slow' }]]]),
    faultsEndAtMs: 30_000,
  };
}

async function runOf(seed: number, mutation?: Mutation): Promise<[Run, readonly Violation[]]> {
  const run = await runScenario(scenarioOf(seed), mutation);
  return [run, checkRun(run)];
}

describe('a process that stalls past its session', { timeout: 600_000 }, () => {
  it.each(seeds)(
    'sends nothing that waited for its endpoint and that another process has sent, seed %d',
    async (seed) => {
      const [run, violations] = await runOf(seed);
      expect(violations.length === 0 ? '' : describeFailure(run, violations)).toBe('');
    },
  );

  it('would send it if it did not ask who owns the partition, in some of these runs', async () => {
    const withoutAsking: Mutation = {
      ...noMutation,
      intake: (intake) => ({
        ...intake,
        handle: (record, context) => intake.handle(record, replaceMembers(context, { stillOwned: () => true })),
      }),
    };
    let found = 0;
    for (const seed of seeds) {
      const [, violations] = await runOf(seed, withoutAsking);
      if (violations.some(({ invariant }) => invariant === 'no_duplicates')) found += 1;
    }
    expect(found).toBeGreaterThan(seeds.length / 4);
  });
});
