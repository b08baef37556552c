import { quietClient } from '../../support/kafka/client.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startBroker } from '../broker.ts';
import { runBurst, type BurstMeasurement } from './burst.ts';
import { runCounterbalanced, type RoundRuns } from './counterbalanced.ts';
import { runExperiment, type Run } from './experiment.ts';
import { comparisons, isMeasured, type Comparison, type Fault, type Group } from './fault.ts';
import type { GroupResult, MeasuredPair, Results } from './figures.ts';
import { combineRuns } from './measurement.ts';
import { startReceiver } from './receiver/receiver.ts';
import type { Scale } from './scale.ts';

const answerAfterMs = 5;

/** Measures all comparisons and the burst, round after round. */
export async function runRounds(scale: Scale, print: (line: string) => void): Promise<Results> {
  await using kafka = await startBroker(print, { data: 'small' });
  await using receiver = await startReceiver({ endpoints: scale.endpoints, answerAfterMs });
  await using files = await writeTemporaryFiles({ 'authority.pem': receiver.authority });
  const { brokers } = kafka;
  const authorityFile = files.path('authority.pem');
  const options = { kafka: quietClient(brokers), brokers, receiver, authorityFile, endpoints: scale.endpoints };
  const measure: Measure = async (fault, comparison) => {
    const { earlierFault } = comparison;
    const ofMeasured = (endpoint: number): boolean => isMeasured(endpoint, comparison);
    const run = await runExperiment({ ...options, scale, earlierFault, fault, isMeasured: ofMeasured });
    const { p99Ms, requestP99Ms, perSecond, stealShare } = combineRuns([run], ofMeasured);
    const p99 = `p99 ${p99Ms.toFixed(1)} ms, to the request ${requestP99Ms.toFixed(1)} ms`;
    print(`${fault.name}: ${p99}, ${perSecond.toFixed(0)}/s; steal time ${(stealShare * 100).toFixed(1)} %`);
    return run;
  };
  print('The first runs do not count: the broker still compiles its code.');
  for (const comparison of comparisons(scale.endpoints)) await measure(comparison.healthy, comparison);
  const pairs: (MeasuredPair & { readonly name: string })[] = [];
  const bursts: BurstMeasurement[] = [];
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const comparison of comparisons(scale.endpoints)) {
      const runs = await runCounterbalanced(round, (variant) => measure(comparison[variant], comparison));
      pairs.push(...comparison.groups.map((group) => pairOf(group, runs)));
    }
    const burst = await runBurst(options, scale.burst);
    print(`burst: ${JSON.stringify(burst)}`);
    bursts.push(burst);
  }
  const groups = Map.groupBy(pairs, ({ name }) => name);
  return { groups: [...groups].map(([name, own]): GroupResult => ({ name, pairs: own })), bursts };
}

function pairOf({ name, has }: Group, { healthy, faulty }: RoundRuns): MeasuredPair & { readonly name: string } {
  return { name, healthy: combineRuns(healthy, has), faulty: combineRuns(faulty, has) };
}

type Measure = (fault: Fault, comparison: Comparison) => Promise<Run>;
