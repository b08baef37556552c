import { eventsFor } from '../subscribers/subscribers.ts';
import type { Observations } from '../scenario/observations.ts';
import { counted, expectEqual, type Check } from './check.ts';

/** Compares dead letters with the expected ones, results with attempts, and the lag of all groups with zero. */
export function checkTopics(observations: Observations): readonly Check[] {
  return [checkDeadLetters(observations), checkResults(observations), checkLag(observations)];
}

function checkDeadLetters({ receipts, produced, deadLetters, names }: Observations): Check {
  const expected = receipts
    .filter(({ subscriber }) => subscriber.behaviour === 'always_fails')
    .flatMap(({ subscriber }) =>
      eventsFor(subscriber, produced).map(({ topic, partition, offset, body }) =>
        [`${topic}/${partition}/${offset}/${subscriber.id}`, 'exhausted', '500', String(body)].join(' '),
      ),
    );
  return expectEqual(
    `${expected.length} dead letters with the bytes of their records, each exhausted after ${names.tiers.length + 1} attempts`,
    expected.toSorted(),
    deadLetters
      .map(({ value, headers }) =>
        [headers['delivery-id'], headers['dead-letter-reason'], headers['failure-status'], String(value)].join(' '),
      )
      .toSorted(),
  );
}

/** The results topic tells of each attempt, each dead letter, and the circuit that opens with the last failure. */
function checkResults({ attempts, deadLetters, results }: Observations): Check {
  const expected = [
    ...attempts.map(() => 'delivery.attempted'),
    ...deadLetters.map(() => 'delivery.dead_lettered'),
    'endpoint.changed',
  ];
  return expectEqual(
    `${expected.length} results: one for each attempt, each dead letter and the circuit that opened`,
    counted(expected),
    counted(results.map(({ type }) => type)),
  );
}

function checkLag({ lag, names }: Observations): Check {
  const topics = [names.completed, names.expired, ...names.tiers];
  return expectEqual(
    `both groups have committed all records: ${topics.length} topics have a lag of 0`,
    Object.fromEntries(topics.map((topic) => [topic, 0])),
    lag,
  );
}
