import { attemptsOf, subscribers, type Subscriber, eventsFor } from '../subscribers/subscribers.ts';
import { certificateEvents } from '../subscribers/certificates.ts';
import { expectedNumbers } from '../checks/expected-numbers.ts';
import { circuitFailures, delays, namesFor } from '../environment/service-environment.ts';
import type { Attempt } from '../scenario/attempt.ts';
import type { Observations, Receipts } from '../scenario/observations.ts';
import type { ProducedCertificate } from '../scenario/production.ts';
import type { EndpointChange, Result } from '../scenario/result.ts';
import type { ReceivedRequest } from '../../support/endpoints/received-request.ts';
import type { RecordRead } from '../../support/kafka/records.ts';

const names = namesFor('demo');
const host = 'localhost:4433';

/** Returns the observations of a service that keeps every promise. */
export function perfectObservations(): Observations {
  const produced = certificateEvents().map((event, offset): ProducedCertificate => {
    const topic = event.event === 'certificate_completed' ? names.completed : names.expired;
    return Object.assign({}, event, { topic, partition: event.owner.partition, offset });
  });
  const text = JSON.stringify({ level: 'info', event: 'service.started' });
  return {
    names,
    produced,
    receipts: subscribers.map((subscriber) => receiptsOf(subscriber, produced)),
    attempts: subscribers.flatMap((subscriber) => attemptsAt(subscriber, produced)),
    deadLetters: subscribers.flatMap((subscriber) => deadLettersOf(subscriber, produced)),
    results: subscribers.flatMap((subscriber) => resultsOf(subscriber, produced)),
    changes: subscribers.flatMap(changesOf),
    notices: subscribers.flatMap((subscriber) => noticesFor(subscriber, produced)),
    lag: Object.fromEntries([names.completed, names.expired, ...names.tiers].map((topic) => [topic, 0])),
    metrics: { text: '# metrics', samples: samplesOf(produced) },
    log: { text: [text], lines: [{ level: 'info', event: 'service.started' }], unreadable: [] },
  };
}

function receiptsOf(subscriber: Subscriber, produced: readonly ProducedCertificate[]): Receipts {
  const attempts = attemptsOf(subscriber, delays.length);
  const requests = eventsFor(subscriber, produced).flatMap(({ body }) =>
    Array.from({ length: attempts }, (_, index) => requestOf(subscriber, body, index * 4000)),
  );
  return { subscriber, host, requests };
}

function requestOf(subscriber: Subscriber, body: Buffer, arrivedAt: number): ReceivedRequest {
  const { authenticationHeader, customHeaders } = subscriber;
  return {
    method: 'POST',
    path: '/certificates',
    headers: [
      ['Host', host],
      ['Connection', 'keep-alive'],
      ['Content-Type', 'application/json'],
      ...(authenticationHeader === undefined ? [] : [authenticationHeader]),
      ...Object.entries(customHeaders),
      ['Content-Length', String(body.length)],
    ],
    body,
    arrivedAt,
    connection: 1,
    tls: { version: 'TLSv1.3', serverName: 'localhost', resumed: false },
    header: () => undefined,
  };
}

function attemptsAt(subscriber: Subscriber, produced: readonly ProducedCertificate[]): readonly Attempt[] {
  const count = attemptsOf(subscriber, delays.length);
  return eventsFor(subscriber, produced).flatMap((one) =>
    Array.from({ length: count }, (_, index) => ({
      event: 'delivery.attempted' as const,
      configurationId: subscriber.id,
      certificateId: one.id,
      deliveryId: deliveryIdOf(one, subscriber),
      attempt: index + 1,
      ...attemptResult(subscriber, index, index === count - 1),
    })),
  );
}

function attemptResult(
  { behaviour }: Subscriber,
  index: number,
  isLast: boolean,
): Pick<Attempt, 'outcome' | 'status' | 'settlement' | 'tier'> {
  const status = behaviour === 'fails_twice' ? 503 : 500;
  if (!isLast) return { outcome: 'http_error', status, settlement: 'retry', tier: delays[index] };
  if (behaviour === 'always_fails') return { outcome: 'http_error', status, settlement: 'dead' };
  return { outcome: 'delivered', status: 200, settlement: 'done' };
}

function resultsOf(subscriber: Subscriber, produced: readonly ProducedCertificate[]): readonly Result[] {
  const at = new Date(0).toISOString();
  const attempts = attemptsAt(subscriber, produced).map((attempt) =>
    Object.assign({}, attempt, { type: 'delivery.attempted', at }),
  );
  const dead = deadLettersOf(subscriber, produced).map(({ headers }) => ({
    type: 'delivery.dead_lettered',
    at,
    configurationId: subscriber.id,
    deliveryId: headers['delivery-id'] ?? '',
    attempt: Number(headers['attempt']),
    reason: 'exhausted',
  }));
  return [...attempts, ...dead];
}

function changesOf({ id, behaviour }: Subscriber): readonly EndpointChange[] {
  if (behaviour !== 'always_fails') return [];
  const change = { type: 'endpoint.changed', from: 'closed', to: 'open', failures: circuitFailures } as const;
  return [{ ...change, at: new Date(0).toISOString(), configurationId: id }];
}

function noticesFor(subscriber: Subscriber, produced: readonly ProducedCertificate[]): readonly string[] {
  const { id } = subscriber;
  return [
    ...deadLettersOf(subscriber, produced).map(
      ({ headers }) => `${id}: certificate ${headers['certificate-id']} is a dead letter (exhausted)`,
    ),
    ...changesOf(subscriber).map(
      ({ at, failures }) => `${id}: your endpoint fails since ${at}, ${failures} times in a row`,
    ),
  ];
}

function deadLettersOf(subscriber: Subscriber, produced: readonly ProducedCertificate[]): readonly RecordRead[] {
  if (subscriber.behaviour !== 'always_fails') return [];
  return eventsFor(subscriber, produced).map((one, offset) => ({
    partition: 0,
    offset,
    timestamp: 0,
    key: Buffer.from(one.owner.id),
    value: one.body,
    headerList: [],
    headers: {
      'webhook-configuration-id': subscriber.id,
      'certificate-id': one.id,
      'delivery-id': deliveryIdOf(one, subscriber),
      'dead-letter-reason': 'exhausted',
      attempt: '4',
      'failure-reason': 'http_error',
      'failure-status': '500',
    },
  }));
}

function deliveryIdOf({ topic, partition, offset }: ProducedCertificate, { id }: Subscriber): string {
  return `${topic}/${partition}/${offset}/${id}`;
}

function samplesOf(produced: readonly ProducedCertificate[]): ReadonlyMap<string, number> {
  const { consumed, settled, attempts, scheduled, deadLetters } = expectedNumbers(subscribers, {
    produced,
    names,
    delays,
  });
  const family = (name: string, numbers: Readonly<Record<string, number>>): readonly (readonly [string, number])[] =>
    Object.entries(numbers).map(([labels, value]) => [`${name}${labels}`, value]);
  return new Map([
    ...family('records_consumed_total', consumed),
    ...family('records_settled_total', settled),
    ...family('delivery_attempts_total', attempts),
    ...family('retries_scheduled_total', scheduled),
    ...family('dead_letters_total', deadLetters),
    ['unsettled_records', 0],
    ['uncommitted_records{partition="0",topic="demo.certificates.completed"}', 0],
    ['deliveries_deferred_total{reason="overloaded"}', 0],
    ['handoff_failures_total{kind="retry"}', 0],
    ['circuit_transitions_total{circuit="open"}', 1],
  ]);
}
