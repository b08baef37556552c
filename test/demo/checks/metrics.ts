import { delays } from '../environment/service-environment.ts';
import type { Observations } from '../scenario/observations.ts';
import { hasFamily, nonZeroSamples } from '../scenario/metrics-page.ts';
import { expectEqual, type Check } from './check.ts';
import { expectedNumbers, type ExpectedNumbers } from './expected-numbers.ts';

const counted = [
  ['records_consumed_total', 'counts produced records and those in tiers', 'consumed'],
  ['records_settled_total', 'counts records by result', 'settled'],
  ['delivery_attempts_total', 'counts the requests at the endpoints', 'attempts'],
  ['retries_scheduled_total', 'counts every write to a tier', 'scheduled'],
  ['dead_letters_total', 'counts the dead letters', 'deadLetters'],
] as const satisfies readonly (readonly [family: string, what: string, expected: keyof ExpectedNumbers])[];

const zeroFamilies = [
  'unsettled_records',
  'uncommitted_records',
  'deliveries_deferred_total',
  'handoff_failures_total',
] as const;

/** Compares the metrics with what was produced and received. */
export function checkMetrics(observations: Observations): readonly Check[] {
  const { metrics, names, produced, receipts } = observations;
  const subscribers = receipts.map(({ subscriber }) => subscriber);
  const expected = expectedNumbers(subscribers, { produced, names, delays });
  return [
    ...counted.map(([family, what, key]) =>
      expectEqual(`${family} ${what}`, expected[key], nonZeroSamples(metrics, family)),
    ),
    checkSums(observations),
    ...zeroFamilies.map((family) => checkZero(family, observations)),
    expectEqual(
      'circuit_transitions_total: one circuit opens',
      { '{circuit="open"}': 1 },
      nonZeroSamples(metrics, 'circuit_transitions_total'),
    ),
  ];
}

/** No record is lost: in each topic, as many records are settled as were consumed. */
function checkSums({ metrics, names }: Observations): Check {
  const topics = [names.completed, names.expired, ...names.tiers];
  const sumOf = (family: string, topic: string): number =>
    Object.entries(nonZeroSamples(metrics, family))
      .filter(([labels]) => labels.includes(`topic="${topic}"`))
      .reduce((sum, [, value]) => sum + value, 0);
  return expectEqual(
    'consumed = settled, topic by topic',
    topics.map((topic) => [topic, sumOf('records_consumed_total', topic)]),
    topics.map((topic) => [topic, sumOf('records_settled_total', topic)]),
  );
}

/** A family that is missing from the page fails the check. */
function checkZero(family: string, { metrics }: Observations): Check {
  const found = { present: hasFamily(metrics, family), nonZero: nonZeroSamples(metrics, family) };
  return expectEqual(`${family} is 0`, { present: true, nonZero: {} }, found);
}
