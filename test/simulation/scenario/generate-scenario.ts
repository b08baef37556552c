import { eventTypes } from '../../../src/certificates/certificate.ts';
import { Random } from '../random.ts';
import { generateClockActions, generateProcessActions } from './process-actions.ts';
import { owners } from './subscribers.ts';
import { frameSome, generateConfigurations, limitSome } from './configurations.ts';
import { generateConfigurationsTopicFaults } from './configurations-topic-faults.ts';
import { generateBehaviours } from './endpoint-behaviours.ts';
import type { Action, Damage, NetworkFault, Scenario, ScenarioSettings } from './scenario.ts';
import { generateNetworkFaults, generateRegistryFault } from './network-faults.ts';

/** Generates the scenario of a seed. Nothing else influences it. */
export function generateScenario(seed: number): Scenario {
  const random = new Random(seed);
  const faultsEndAtMs = random.between(20, 50) * 1000;
  const settings = generateSettings(random.fork());
  const configurations = generateConfigurations(random.fork(), faultsEndAtMs);
  const isGraceful = random.chance(0.3);
  const processActions = random.chance(0.8) ? generateProcessActions(random.fork(), { faultsEndAtMs, isGraceful }) : [];
  const actions: Action[] = [
    ...Array.from({ length: random.between(1, 2) }, (): Action => ({ kind: 'start', atMs: 0 })),
    ...configurations,
    ...generateRecords(random.fork(), { settings, configurations, faultsEndAtMs }),
    ...processActions,
  ];
  const networkFaults: NetworkFault[] = random.chance(0.8)
    ? [...generateNetworkFaults(random.fork(), { settings, configurations, faultsEndAtMs, isGraceful })]
    : [];
  const behaviours = generateBehaviours(random.fork(), { faultsEndAtMs, isGraceful });
  if (random.chance(0.4)) actions.push(...generateClockActions(random.fork(), faultsEndAtMs));
  actions.push(...generateConfigurationsTopicFaults(random.fork(), { configurations, faultsEndAtMs, isGraceful }));
  const limited = limitSome(actions, random.fork(), settings.maxInFlightPerEndpoint);
  const registry = random.fork();
  const hasRegistry = registry.chance(0.4);
  const waiting = generateWaitingRecords(random.fork(), settings, actions);
  const all = [...(hasRegistry ? frameSome(limited, registry) : limited), ...waiting];
  const sorted = all.toSorted((one, other) => one.atMs - other.atMs);
  if (hasRegistry) networkFaults.push(generateRegistryFault(registry, { configurations, faultsEndAtMs }));
  return { seed, settings, actions: sorted, isGraceful, networkFaults, behaviours, faultsEndAtMs };
}

function generateSettings(random: Random): ScenarioSettings {
  const maxInFlightPerEndpoint = random.between(1, 4);
  return {
    partitions: random.between(1, 3),
    tierPartitions: random.between(1, 3),
    tiersMs: random.pick<ScenarioSettings['tiersMs']>([
      [1000, 5000, 20_000],
      [2000, 8000],
      [500, 2000, 6000, 15_000],
      [3000],
    ]),
    maxAgeMs: random.between(40, 90) * 1000,
    maxInFlight: random.between(4, 16),
    maxInFlightPerEndpoint,
    maxWaitingPerEndpoint: random.between(1, 8),
    maxRecords: random.between(8, 60),
    maxSpan: random.between(6, 40),
    maxRecordBytes: 4000,
    hasResults: random.chance(0.5),
  };
}

interface RecordOptions {
  readonly settings: ScenarioSettings;
  readonly configurations: readonly Action[];
  readonly faultsEndAtMs: number;
}

/** Longest time in ms that a transaction in a certificate topic is open. */
const longestTransactionMs = 10_000;

/**
 * Generates bursts of certificates, some certificates right after a configuration of their owner, and invalid records.
 */
function generateRecords(random: Random, { settings, configurations, faultsEndAtMs }: RecordOptions): Action[] {
  const { partitions, tierPartitions, tiersMs } = settings;
  const actions: Action[] = [];
  const add = (atMs: number, ownerId: string): void => {
    const partition = random.between(0, partitions - 1);
    const certificateId = `certificate-${actions.length + 1}`;
    const eventType = random.pick(eventTypes);
    actions.push({ kind: 'certificate', atMs, certificateId, ownerId, eventType, partition, damage: damageOf(random) });
  };
  const bursts = random.between(3, 8);
  for (let burst = 0; burst < bursts; burst += 1) {
    const atMs = random.between(0, faultsEndAtMs);
    const ownerId = random.pick(owners);
    const size = random.weighted([
      [random.between(1, 4), 3],
      [random.between(5, 25), 2],
    ]);
    for (let number = 0; number < size; number += 1) {
      add(atMs + number * random.between(0, 200), random.chance(0.7) ? ownerId : random.pick(owners));
    }
  }
  for (const action of configurations) {
    if (action.kind === 'configuration' && action.configuration !== undefined && random.chance(0.6)) {
      add(action.atMs, action.configuration.ownerId);
    }
  }
  for (let invalid = random.between(0, 2); invalid > 0; invalid -= 1) {
    const atMs = random.between(0, faultsEndAtMs);
    const [tier, partition] = [random.between(0, tiersMs.length - 1), random.between(0, tierPartitions - 1)];
    actions.push({ kind: 'invalid_retry', atMs, tier, partition });
    const where = { eventType: random.pick(eventTypes), partition: random.between(0, partitions - 1) };
    actions.push({ kind: 'open_transaction', atMs, ...where });
    actions.push({ kind: 'abort_transaction', atMs: Math.min(atMs + longestTransactionMs, faultsEndAtMs), ...where });
  }
  return actions;
}

/** Generates certificates that are written while the configurations topic is filled again. */
function generateWaitingRecords(
  random: Random,
  { partitions }: ScenarioSettings,
  actions: readonly Action[],
): Action[] {
  const refill = actions.filter(({ kind }) => kind === 'refill_configurations');
  return refill.flatMap(({ atMs }, index) =>
    owners.map((ownerId, number): Action => {
      const certificateId = `certificate-in-refill-${index}-${number}`;
      const [eventType, partition] = [random.pick(eventTypes), random.between(0, partitions - 1)];
      const writtenAtMs = atMs - random.between(0, 1_000);
      return { kind: 'certificate', atMs: writtenAtMs, certificateId, ownerId, eventType, partition, damage: 'none' };
    }),
  );
}

function damageOf(random: Random): Damage {
  return random.weighted<Damage>([
    ['none', 30],
    ['not_json', 1],
    ['no_owner', 1],
    ['null_value', 1],
    ['huge', 1],
  ]);
}
