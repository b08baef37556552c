import { quietClient } from '../../support/kafka/client.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startBroker } from '../broker.ts';
import { runBurst, type BurstMeasured } from './burst.ts';
import { runExperiment, type Run } from './experiment.ts';
import { together } from './measurement.ts';
import { mirrored, type RunsOfRound } from './counterbalanced.ts';
import { startReceiver } from './receiver/receiver.ts';
import type { Scale } from './scale.ts';
import type { MeasuredPair, Results } from './section.ts';
import { comparisons, isMeasured, type Comparison, type Group, type Trouble } from './fault.ts';

const answerAfterMs = 5;

/** Everything in turn, round after round. */
export async function runRounds(scale: Scale, say: (line: string) => void): Promise<Results> {
  await using kafka = await startBroker(say, { data: 'few' });
  await using receiver = await startReceiver({ endpoints: scale.endpoints, answerAfterMs });
  await using files = await writeTemporaryFiles({ 'authority.pem': receiver.authority });
  const { brokers } = kafka;
  const authorityFile = files.path('authority.pem');
  const parts = { kafka: quietClient(brokers), brokers, receiver, authorityFile, endpoints: scale.endpoints };
  const measure: Measure = async (trouble, comparison) => {
    const ofMeasured = (endpoint: number): boolean => isMeasured(endpoint, comparison);
    const run = await runExperiment({ ...parts, scale, before: comparison.before, trouble, isMeasured: ofMeasured });
    const { p99Ms, untilRequestP99Ms, perSecond, stolen } = together([run], ofMeasured);
    const p99 = `p99 ${p99Ms.toFixed(1)} ms, ${untilRequestP99Ms.toFixed(1)} to the request`;
    const taken = `${(stolen * 100).toFixed(1)} % of the time taken by the host`;
    say(`${trouble.name}: ${p99}, ${perSecond.toFixed(0)} a second; ${taken}`);
    return run;
  };
  say('What comes first is left out: the broker compiles its code meanwhile.');
  for (const comparison of comparisons(scale.endpoints)) await measure(comparison.without, comparison);
  const rounds: { readonly pairs: readonly Pair[]; readonly burst: BurstMeasured }[] = [];
  for (let round = 0; round < scale.rounds; round += 1) {
    const pairs: Pair[] = [];
    for (const comparison of comparisons(scale.endpoints)) {
      const runs = await mirrored(round, (which) => measure(comparison[which], comparison));
      pairs.push(...comparison.groups.map((group) => pairOf(group, runs)));
    }
    const burst = await runBurst(parts, scale.burst);
    say(`a burst: ${JSON.stringify(burst)}`);
    rounds.push({ pairs, burst });
  }
  const pairs = rounds.flatMap((round) => round.pairs);
  const names = new Set(pairs.map(({ name }) => name));
  return {
    compared: [...names].map((name) => ({ name, pairs: pairs.filter((pair) => pair.name === name) })),
    bursts: rounds.map(({ burst }) => burst),
  };
}

function pairOf({ name, has }: Group, { without, having }: RunsOfRound): Pair {
  return { name, without: together(without, has), having: together(having, has) };
}

type Measure = (trouble: Trouble, comparison: Comparison) => Promise<Run>;

interface Pair extends MeasuredPair {
  readonly name: string;
}
