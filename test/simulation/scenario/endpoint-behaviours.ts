import type { Random } from '../random.ts';
import { webhookIds } from './subscribers.ts';
import type { Mood, MoodKind } from './scenario.ts';

/** How the endpoints behave: some well all the time; in the end most work, and the others never will. */
export function inventMoods(random: Random, frame: Frame): ReadonlyMap<string, readonly Mood[]> {
  return new Map(webhookIds.map((webhookId) => [webhookId, inventOne(random, frame)]));
}

interface Frame {
  readonly calmAtMs: number;
  readonly isGentle: boolean;
}

function inventOne(random: Random, { calmAtMs, isGentle }: Frame): readonly Mood[] {
  if (random.chance(0.3)) return [{ fromMs: 0, kind: 'prompt' }];
  const changes = random.between(1, 4);
  const moods = Array.from({ length: changes }, (_, index): Mood => {
    const fromMs = index === 0 ? 0 : random.between(0, calmAtMs);
    const kind = random.weighted(moody);
    return { fromMs, kind: isGentle && kind === 'breaking' ? 'failing' : kind };
  });
  const last: Mood = { fromMs: calmAtMs, kind: random.weighted(lasting) };
  return [...moods.toSorted((one, other) => one.fromMs - other.fromMs), last];
}

const moody: readonly [readonly [MoodKind, number], ...(readonly [MoodKind, number])[]] = [
  ['prompt', 3],
  ['slow', 2],
  ['failing', 2],
  ['refusing', 1],
  ['hanging', 2],
  ['asking', 1],
  ['breaking', 1],
  ['flapping', 2],
];

const lasting: typeof moody = [
  ['prompt', 6],
  ['slow', 2],
  ['refusing', 1],
  ['failing', 1],
];
