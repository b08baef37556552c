import type { Action, Configuration, Damage, NetworkFault, Scenario } from '../scenario/scenario.ts';
import { runScenario, type Run } from '../run-scenario.ts';
import type { Mutation } from '../mutants/mutation.ts';
import { Choices, stallMs, type Alternative, type Deviations, type Point } from './choices.ts';

/** The time in which a run may deviate: from the fetches that wait for the first record to a retry of it. */
const window = { fromMs: 3900, toMs: 9000 };
const startMs = 6000;

const certificateAt = (atMs: number, number: number, partition: number, damage: Damage = 'none'): Action => ({
  atMs,
  kind: 'certificate',
  certificateId: `certificate-${number}`,
  ownerId: 'owner',
  eventType: 'certificate_completed',
  partition,
  damage,
});

const both = ['certificate_completed', 'certificate_expired'] as const;
const subscribed = { ownerId: 'owner', enabled: true, paused: false, events: both, isValid: true };
const configurationAt = (atMs: number, webhookId: string, configuration: Configuration): Action => ({
  atMs,
  kind: 'configuration',
  webhookId,
  configuration,
});

const actions: readonly Action[] = [
  configurationAt(0, 'hook-1', { ...subscribed, version: 1, events: ['certificate_expired'] }),
  configurationAt(0, 'hook-2', { ...subscribed, version: 1 }),
  { atMs: 0, kind: 'start' },
  { atMs: 0, kind: 'start' },
  certificateAt(startMs, 1, 0),
  certificateAt(startMs + 1, 2, 1),
  certificateAt(startMs + 2, 4, 1, 'not_json'),
  // Acknowledged before the third certificate, which is for it, too.
  configurationAt(startMs + 10, 'hook-1', { ...subscribed, version: 2 }),
  certificateAt(startMs + 11, 3, 0),
  // While retries may wait.
  configurationAt(startMs + 800, 'hook-1', { ...subscribed, version: 3, ownerId: 'another-owner' }),
  { atMs: window.toMs, kind: 'disturb_configurations', partition: 0, how: 'end' },
];

export const worldText =
  'Two processes, two partitions, three certificates and a record that is none, two webhooks, one of which changes twice, one tier.';

const world: Omit<Scenario, 'isGraceful' | 'networkFaults' | 'faultsEndAtMs'> = {
  seed: 1,
  settings: {
    partitions: 2,
    tierPartitions: 1,
    tiersMs: [1000],
    maxAgeMs: 40_000,
    maxInFlight: 8,
    maxInFlightPerEndpoint: 4,
    maxWaitingPerEndpoint: 8,
    maxRecords: 8,
    maxSpan: 6,
    maxRecordBytes: 4000,
    hasResults: true,
  },
  actions,
  // A checker reads from it that endpoints may fail.
  behaviours: new Map(['hook-1', 'hook-2'].map((webhookId) => [webhookId, [{ fromMs: 0, kind: 'flapping' }]])),
};

/** Deviations after which nothing may be delivered twice. */
const graceful: ReadonlySet<Alternative> = new Set([
  'failing',
  'down',
  'unresponsive',
  'refused',
  'stopped',
  'started',
]);
/** A request that may have been lost, as a checker reads it. */
const anyLoss: NetworkFault = { kind: 'slow', fromMs: 0, toMs: 0, latencyMs: 1 };

/** A run of the world, and the points at which it could have gone on in another way. */
export interface WorldRun {
  readonly run: Run;
  readonly points: readonly Point[];
}

export async function runWorld(deviations: Deviations, mutation?: Mutation): Promise<WorldRun> {
  const choices = new Choices(deviations, window);
  const chosen = new Set(deviations.values());
  const isGraceful = chosen.isSubsetOf(graceful);
  const faultsEndAtMs = window.toMs + (chosen.has('stalled') ? stallMs : 0);
  const scenario = { ...world, isGraceful, networkFaults: isGraceful ? [] : [anyLoss], faultsEndAtMs };
  const run = await runScenario(scenario, mutation, choices);
  return { run, points: choices.points };
}
