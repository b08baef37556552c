import type { Random } from '../random.ts';
import { tierTopic } from '../../../src/settings.ts';
import { topics, type Action, type ScenarioSettings, type NetworkFault } from './scenario.ts';

interface NetworkFaultOptions {
  readonly settings: ScenarioSettings;
  readonly configurations: readonly Action[];
  readonly faultsEndAtMs: number;
  /** True for a run in which nothing may be repeated: only results are refused. */
  readonly isGraceful: boolean;
}

/** Generates an outage of the schema registry or a lag of its replica, which is shorter than an id may fail alone. */
export function generateRegistryFault(
  random: Random,
  { configurations, faultsEndAtMs }: Pick<NetworkFaultOptions, 'configurations' | 'faultsEndAtMs'>,
): NetworkFault {
  // Starts just before a configuration that may need a schema.
  const { atMs = 0 } = configurations[random.between(0, configurations.length - 1)] ?? {};
  const fromMs = atMs - random.between(50, 1_000);
  const [how, lastsMs] = random.pick([
    ['outage', random.between(1_000, 50_000)],
    ['lag', random.between(100, 15_000)],
  ] as const);
  return { kind: 'registry', how, fromMs, toMs: Math.min(fromMs + lastsMs, faultsEndAtMs) };
}

/** Generates the faults between the service and Kafka. */
export function generateNetworkFaults(random: Random, options: NetworkFaultOptions): readonly NetworkFault[] {
  const { isGraceful, settings, faultsEndAtMs } = options;
  if (isGraceful) {
    const [fromMs, toMs] = [random.between(0, faultsEndAtMs), faultsEndAtMs];
    return settings.hasResults ? [{ fromMs, toMs, kind: 'refused_writes', topic: topics.results }] : [];
  }
  return Array.from({ length: random.between(1, 4) }, () => generateFault(random, options));
}

function generateFault(
  random: Random,
  { settings: { tiersMs, hasResults }, configurations, faultsEndAtMs }: NetworkFaultOptions,
): NetworkFault {
  const fromMs = random.between(0, faultsEndAtMs);
  const lastsMs = random.weighted([
    [random.between(100, 3000), 3],
    [random.between(3000, 25_000), 1],
  ]);
  const span = { fromMs, toMs: Math.min(fromMs + lastsMs, faultsEndAtMs) };
  // Starts just before a configuration changes, so that the change itself is not read in time.
  const changedAtMs = configurations[random.between(0, configurations.length - 1)]?.atMs ?? fromMs;
  const unread = {
    fromMs: changedAtMs - 50,
    toMs: Math.min(changedAtMs + random.between(3000, 20_000), faultsEndAtMs),
  };
  const connections = random.pick(['all', 'reading', 'group', 'writing', 'asking'] as const);
  const written = [topics.deadLetters, ...tiersMs.map((delayMs) => tierTopic(topics.tierPrefix, delayMs))];
  // Half of the refused writes are those of results, which every delivery has.
  if (hasResults) written.push(...written.map(() => topics.results));
  return random.weighted<NetworkFault>([
    [{ ...span, kind: 'outage' }, 2],
    [{ ...span, kind: 'flaky', lost: random.next() * 0.3, unanswered: random.next() * 0.3 }, 3],
    [{ ...span, kind: 'slow', latencyMs: random.between(50, 1500) }, 2],
    [
      { ...span, kind: 'refused_writes', topic: written[random.between(0, written.length - 1)] ?? topics.deadLetters },
      2,
    ],
    [{ ...span, kind: 'refused_commits' }, 1],
    [{ fromMs, toMs: faultsEndAtMs, kind: 'frozen', instance: random.between(1, 3), connections }, 2],
    [{ ...unread, kind: 'unread_configurations', instance: random.between(1, 3) }, 3],
  ]);
}
