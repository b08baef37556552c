import { delays } from '../environment/service-environment.ts';
import type { Evidence } from '../scenario/observations.ts';
import { isThere, movedIn } from '../scenario/metrics-page.ts';
import { expectEqual, type Check } from './check.ts';
import { expectedNumbers, type ExpectedNumbers } from './expected-numbers.ts';

const counted = [
  ['records_consumed_total', 'is what was produced, and what the tiers held', 'consumed'],
  ['records_settled_total', 'has the result of each', 'settled'],
  ['delivery_attempts_total', 'is what the endpoints got', 'attempts'],
  ['retries_scheduled_total', 'counts every write to a tier', 'scheduled'],
  ['dead_letters_total', 'counts the dead letters', 'deadLetters'],
] as const satisfies readonly (readonly [family: string, what: string, expected: keyof ExpectedNumbers])[];

const still = [
  'unsettled_records',
  'uncommitted_records',
  'deliveries_deferred_total',
  'handoff_failures_total',
  'circuit_transitions_total',
] as const;

/** What the metrics say, against what was produced and received. */
export function checkMetrics(evidence: Evidence): readonly Check[] {
  const { metrics, names, produced, receipts } = evidence;
  const subscribers = receipts.map(({ subscriber }) => subscriber);
  const expected = expectedNumbers(subscribers, { produced, names, delays });
  return [
    ...counted.map(([family, what, key]) => expectEqual(`${family} ${what}`, expected[key], movedIn(metrics, family))),
    checkSums(evidence),
    ...still.map((family) => checkStill(family, evidence)),
  ];
}

/** Nothing vanishes: of each topic, as many records are settled as were consumed. */
function checkSums({ metrics, names }: Evidence): Check {
  const topics = [names.completed, names.expired, ...names.tiers];
  const sumOf = (family: string, topic: string): number =>
    Object.entries(movedIn(metrics, family))
      .filter(([labels]) => labels.includes(`topic="${topic}"`))
      .reduce((sum, [, value]) => sum + value, 0);
  return expectEqual(
    'consumed = settled, topic by topic',
    topics.map((topic) => [topic, sumOf('records_consumed_total', topic)]),
    topics.map((topic) => [topic, sumOf('records_settled_total', topic)]),
  );
}

/** A metric that is not there is not 0. */
function checkStill(family: string, { metrics }: Evidence): Check {
  const found = { there: isThere(metrics, family), moved: movedIn(metrics, family) };
  return expectEqual(`${family} is 0`, { there: true, moved: {} }, found);
}
