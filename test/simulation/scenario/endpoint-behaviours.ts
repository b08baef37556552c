import type { Random } from '../random.ts';
import { webhookIds } from './subscribers.ts';
import type { BehaviourPhase, Behaviour } from './scenario.ts';

/**
 * Generates the behaviour of each endpoint. About three in ten work for the whole run. After the faults have ended,
 * most of the others work and some fail for good.
 */
export function generateBehaviours(
  random: Random,
  options: BehaviourOptions,
): ReadonlyMap<string, readonly BehaviourPhase[]> {
  return new Map(webhookIds.map((webhookId) => [webhookId, generatePhases(random, options)]));
}

interface BehaviourOptions {
  readonly faultsEndAtMs: number;
  readonly isGraceful: boolean;
}

function generatePhases(random: Random, { faultsEndAtMs, isGraceful }: BehaviourOptions): readonly BehaviourPhase[] {
  if (random.chance(0.3)) return [{ fromMs: 0, kind: 'prompt' }];
  const changes = random.between(1, 4);
  const behaviours = Array.from({ length: changes }, (_, index): BehaviourPhase => {
    const fromMs = index === 0 ? 0 : random.between(0, faultsEndAtMs);
    const kind = random.weighted(behaviourWeights);
    return { fromMs, kind: isGraceful && kind === 'disconnecting' ? 'failing' : kind };
  });
  const last: BehaviourPhase = { fromMs: faultsEndAtMs, kind: random.weighted(finalBehaviourWeights) };
  return [...behaviours.toSorted((one, other) => one.fromMs - other.fromMs), last];
}

const behaviourWeights: readonly [readonly [Behaviour, number], ...(readonly [Behaviour, number])[]] = [
  ['prompt', 3],
  ['slow', 2],
  ['failing', 2],
  ['refusing', 1],
  ['unresponsive', 2],
  ['rate_limiting', 1],
  ['disconnecting', 1],
  ['flapping', 2],
];

const finalBehaviourWeights: typeof behaviourWeights = [
  ['prompt', 6],
  ['slow', 2],
  ['refusing', 1],
  ['failing', 1],
];
