import type { Random } from '../random.ts';
import { tierTopic } from '../../../src/settings.ts';
import { topics, type Act, type PlotSettings, type Trouble } from './scenario.ts';

interface Frame {
  readonly settings: PlotSettings;
  readonly configurations: readonly Act[];
  readonly calmAtMs: number;
}

/** What goes wrong between the service and Kafka, and until when. */
export function inventTroubles(random: Random, frame: Frame): readonly Trouble[] {
  return Array.from({ length: random.between(1, 4) }, () => inventOne(random, frame));
}

function inventOne(random: Random, { settings: { tiersMs }, configurations, calmAtMs }: Frame): Trouble {
  const fromMs = random.between(0, calmAtMs);
  const lastsMs = random.weighted([
    [random.between(100, 3000), 3],
    [random.between(3000, 25_000), 1],
  ]);
  const span = { fromMs, toMs: Math.min(fromMs + lastsMs, calmAtMs) };
  // Most telling when a change of a configuration is what is not read.
  const changedAtMs = configurations[random.between(0, configurations.length - 1)]?.atMs ?? fromMs;
  const unread = { fromMs: changedAtMs - 50, toMs: Math.min(changedAtMs + random.between(3000, 20_000), calmAtMs) };
  const written = [topics.deadLetters, ...tiersMs.map((delayMs) => tierTopic(topics.tierPrefix, delayMs))];
  return random.weighted<Trouble>([
    [{ ...span, kind: 'outage' }, 2],
    [{ ...span, kind: 'flaky', lost: random.next() * 0.3, unanswered: random.next() * 0.3 }, 3],
    [{ ...span, kind: 'slow', latencyMs: random.between(50, 1500) }, 2],
    [
      { ...span, kind: 'refused_writes', topic: written[random.between(0, written.length - 1)] ?? topics.deadLetters },
      2,
    ],
    [{ ...span, kind: 'refused_commits' }, 1],
    [{ ...unread, kind: 'unread_configurations', instance: random.between(1, 3) }, 3],
  ]);
}
