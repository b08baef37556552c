import { eventTypes } from '../../../src/certificates/certificate.ts';
import { Random } from '../random.ts';
import { inventAccidents } from './process-actions.ts';
import { owners } from './subscribers.ts';
import { inventConfigurations } from './configurations.ts';
import { inventMoods } from './endpoint-behaviours.ts';
import type { Act, Damage, Plot, PlotSettings } from './scenario.ts';
import { inventTroubles } from './network-faults.ts';

/** What a run is about, by its seed alone. */
export function inventPlot(seed: number): Plot {
  const random = new Random(seed);
  const calmAtMs = random.between(20, 50) * 1000;
  const settings = inventSettings(random.fork());
  const configurations = inventConfigurations(random.fork(), calmAtMs);
  const isGentle = random.chance(0.3);
  const accidents = random.chance(0.8) ? inventAccidents(random.fork(), { calmAtMs, isGentle }) : [];
  const acts: readonly Act[] = [
    ...Array.from({ length: random.between(1, 2) }, (): Act => ({ kind: 'start', atMs: 0 })),
    ...configurations,
    ...inventRecords(random.fork(), { settings, configurations, calmAtMs }),
    ...accidents,
  ];
  return {
    seed,
    settings,
    acts: acts.toSorted((one, other) => one.atMs - other.atMs),
    isGentle,
    troubles:
      !isGentle && random.chance(0.8) ? inventTroubles(random.fork(), { settings, configurations, calmAtMs }) : [],
    moods: inventMoods(random.fork(), { calmAtMs, isGentle }),
    calmAtMs,
  };
}

function inventSettings(random: Random): PlotSettings {
  const maxInFlightPerEndpoint = random.between(1, 4);
  return {
    partitions: random.between(1, 3),
    tierPartitions: random.between(1, 3),
    tiersMs: random.pick<PlotSettings['tiersMs']>([
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
  };
}

interface Frame {
  readonly settings: PlotSettings;
  readonly configurations: readonly Act[];
  readonly calmAtMs: number;
}

/** Certificates come in bursts; some right after the configuration they are for. */
function inventRecords(random: Random, { settings, configurations, calmAtMs }: Frame): Act[] {
  const { partitions, tierPartitions, tiersMs } = settings;
  const acts: Act[] = [];
  const add = (atMs: number, ownerId: string): void => {
    const partition = random.between(0, partitions - 1);
    const certificateId = `certificate-${acts.length + 1}`;
    const eventType = random.pick(eventTypes);
    acts.push({ kind: 'certificate', atMs, certificateId, ownerId, eventType, partition, damage: damageOf(random) });
  };
  const bursts = random.between(3, 8);
  for (let burst = 0; burst < bursts; burst += 1) {
    const atMs = random.between(0, calmAtMs);
    const ownerId = random.pick(owners);
    const size = random.weighted([
      [random.between(1, 4), 3],
      [random.between(5, 25), 2],
    ]);
    for (let number = 0; number < size; number += 1) {
      add(atMs + number * random.between(0, 200), random.chance(0.7) ? ownerId : random.pick(owners));
    }
  }
  for (const act of configurations) {
    if (act.kind === 'configuration' && act.configuration !== undefined && random.chance(0.6)) {
      add(act.atMs, act.configuration.ownerId);
    }
  }
  for (let stray = random.between(0, 2); stray > 0; stray -= 1) {
    const atMs = random.between(0, calmAtMs);
    const [tier, partition] = [random.between(0, tiersMs.length - 1), random.between(0, tierPartitions - 1)];
    acts.push({ kind: 'stray', atMs, tier, partition });
    acts.push({ kind: 'gap', atMs, eventType: random.pick(eventTypes), partition: random.between(0, partitions - 1) });
  }
  return acts;
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
