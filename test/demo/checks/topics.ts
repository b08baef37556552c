import type { RecordRead } from '../../support/kafka/records.ts';
import type { Evidence } from '../scenario/observations.ts';
import { wantedBy } from '../scenario/expectation.ts';
import type { Produced } from '../scenario/production.ts';
import { expectEqual, type Check } from './check.ts';

/** What is left in Kafka: the dead letters, and nothing to read. */
export function checkTopics(evidence: Evidence): readonly Check[] {
  return [checkDeadLetters(evidence), checkLag(evidence)];
}

function checkDeadLetters({ receipts, produced, deadLetters, names }: Evidence): Check {
  const expected = receipts
    .filter(({ subscriber }) => subscriber.behaviour === 'always_fails')
    .flatMap(({ subscriber }) =>
      wantedBy(subscriber, produced).map(({ id, topic, partition, offset, owner }) => ({
        key: owner.id,
        value: 'that of the record',
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

function deadLetterOf({ key, value, headers }: RecordRead, produced: readonly Produced[]): DeadLetter {
  const source = produced.find(({ id }) => id === headers['certificate-id']);
  const isSame = value !== null && source?.body.equals(value) === true;
  const told = [
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
    value: isSame ? 'that of the record' : value?.toString('utf8'),
    ...Object.fromEntries(told.map((name) => [name, headers[name]])),
  };
}

function sorted(letters: readonly DeadLetter[]): readonly DeadLetter[] {
  const idOf = (letter: DeadLetter): string => letter['delivery-id'] ?? '';
  return letters.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

function checkLag({ lag, names }: Evidence): Check {
  const topics = [names.completed, names.expired, ...names.tiers];
  return expectEqual(
    `both groups have committed everything: ${topics.length} topics have a lag of 0`,
    Object.fromEntries(topics.map((topic) => [topic, 0])),
    lag,
  );
}
