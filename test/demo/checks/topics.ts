import { eventsFor, type Subscriber } from '../subscribers/subscribers.ts';
import { circuitFailures } from '../environment/service-environment.ts';
import type { RecordRead } from '../../support/kafka/records.ts';
import type { Observations } from '../scenario/observations.ts';
import type { ProducedCertificate } from '../scenario/production.ts';
import type { Result } from '../scenario/result.ts';
import { expectEqual, type Check } from './check.ts';

/** Compares dead letters and notices with the expected ones, results with the log, and the lag of all groups with zero. */
export function checkTopics(observations: Observations): readonly Check[] {
  return [
    checkDeadLetters(observations),
    checkResults(observations),
    checkChanges(observations),
    checkNotices(observations),
    checkLag(observations),
  ];
}

function checkDeadLetters({ receipts, produced, deadLetters, names }: Observations): Check {
  const expected = receipts
    .filter(({ subscriber }) => subscriber.behaviour === 'always_fails')
    .flatMap(({ subscriber }) =>
      eventsFor(subscriber, produced).map(({ id, topic, partition, offset, owner }) => ({
        key: owner.id,
        value: 'the value of the record',
        'webhook-configuration-id': subscriber.id,
        'certificate-id': id,
        'delivery-id': `${topic}/${partition}/${offset}/${subscriber.id}`,
        'dead-letter-reason': 'exhausted',
        attempt: String(names.tiers.length + 1),
        'failure-reason': 'http_error',
        'failure-status': '500',
      })),
    );
  return expectEqual(
    `${expected.length} dead letters, each exhausted after ${names.tiers.length + 1} attempts`,
    sorted(expected),
    sorted(deadLetters.map((letter) => deadLetterOf(letter, produced))),
  );
}

type DeadLetter = Readonly<Record<string, string | undefined>>;

function deadLetterOf({ key, value, headers }: RecordRead, produced: readonly ProducedCertificate[]): DeadLetter {
  const source = produced.find(({ id }) => id === headers['certificate-id']);
  const isSame = value !== null && source?.body.equals(value) === true;
  const headerNames = [
    'webhook-configuration-id',
    'certificate-id',
    'delivery-id',
    'dead-letter-reason',
    'attempt',
    'failure-reason',
    'failure-status',
  ];
  return {
    key: key?.toString('utf8'),
    value: isSame ? 'the value of the record' : value?.toString('utf8'),
    ...Object.fromEntries(headerNames.map((name) => [name, headers[name]])),
  };
}

function sorted(letters: readonly DeadLetter[]): readonly DeadLetter[] {
  const idOf = (letter: DeadLetter): string => letter['delivery-id'] ?? '';
  return letters.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

/** Compares the results with the attempts in the log and with the dead letters. */
function checkResults({ attempts, deadLetters, results }: Observations): Check {
  const expected = [
    ...attempts.map((attempt) => resultText({ ...attempt, type: 'delivery.attempted' })),
    ...deadLetters.map(({ headers }) =>
      resultText({
        type: 'delivery.dead_lettered',
        deliveryId: headers['delivery-id'] ?? '',
        attempt: Number(headers['attempt']),
        reason: headers['dead-letter-reason'],
      }),
    ),
  ];
  return expectEqual(
    `${expected.length} results: one for each attempt and each dead letter`,
    expected.toSorted(),
    results.map(resultText).toSorted(),
  );
}

function resultText({
  type,
  deliveryId,
  attempt,
  outcome,
  settlement,
  reason,
}: Omit<Result, 'at' | 'configurationId'>): string {
  return [type, deliveryId, attempt, outcome, settlement ?? reason].filter((part) => part !== undefined).join(' ');
}

/** The circuit of each endpoint that always fails opens once, and that is in the results topic. */
function checkChanges({ receipts, changes }: Observations): Check {
  return expectEqual(
    `an endpoint changes to open after ${circuitFailures} failures`,
    failing(receipts).map(({ id }) => ({ configurationId: id, from: 'closed', to: 'open', failures: circuitFailures })),
    changes.map(({ configurationId, from, to, failures }) => ({ configurationId, from, to, failures })),
  );
}

/** The example consumer tells the owner that the endpoint fails, and of each dead letter. */
function checkNotices({ receipts, produced, notices }: Observations): Check {
  const expected = failing(receipts).flatMap((subscriber) => {
    const fails = `${subscriber.id}: your endpoint fails since TIME, ${circuitFailures} times in a row`;
    const dead = eventsFor(subscriber, produced).map(
      ({ id }) => `${subscriber.id}: certificate ${id} is a dead letter (exhausted)`,
    );
    return dead.concat(fails);
  });
  return expectEqual(
    `${expected.length} notices to the owner of the endpoint that always fails`,
    expected.toSorted(),
    notices.map((notice) => notice.replace(/\d{4}-\S+Z/, 'TIME')).toSorted(),
  );
}

function failing(receipts: Observations['receipts']): readonly Subscriber[] {
  return receipts.map(({ subscriber }) => subscriber).filter(({ behaviour }) => behaviour === 'always_fails');
}

function checkLag({ lag, names }: Observations): Check {
  const topics = [names.completed, names.expired, ...names.tiers];
  return expectEqual(
    `both groups have committed all records: ${topics.length} topics have a lag of 0`,
    Object.fromEntries(topics.map((topic) => [topic, 0])),
    lag,
  );
}
