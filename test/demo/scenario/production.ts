import { setTimeout } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import type { EventType } from '../../../src/certificates/certificate.ts';
import { produce } from '../../support/kafka/records.ts';
import type { CertificateEvent } from '../subscribers/certificates.ts';
import type { Names } from '../environment/service-environment.ts';
import { untilAborted } from '../until-aborted.ts';

/** A certificate event with its place in Kafka. */
export interface Produced extends CertificateEvent {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

interface Production {
  readonly kafka: Kafka;
  readonly names: Names;
  readonly events: readonly CertificateEvent[];
  /** Told of each handful once the brokers have it. */
  readonly onProduced: (produced: readonly Produced[]) => void;
  readonly signal: AbortSignal;
}

/** Small enough for an onlooker to see the numbers move. */
const handful = 16;
const pauseMs = 300;

export async function produceInHandfuls({ kafka, names, events, onProduced, signal }: Production): Promise<void> {
  for (let from = 0; from < events.length; from += handful) {
    const part = events.slice(from, from + handful);
    for (const [event, ofEvent] of Map.groupBy(part, (one) => one.event)) {
      onProduced(await untilAborted(signal, produceTo(kafka, topicOf(event, names), ofEvent)));
    }
    await setTimeout(pauseMs, undefined, { signal });
  }
}

export async function produceTo(
  kafka: Kafka,
  topic: string,
  events: readonly CertificateEvent[],
): Promise<readonly Produced[]> {
  const records = events.map(({ owner, body }) => ({ key: owner.id, value: body, partition: owner.partition }));
  const places = await produce(kafka, topic, records);
  return events.flatMap((event, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ ...event, topic, ...place }];
  });
}

function topicOf(event: EventType, names: Names): string {
  switch (event) {
    case 'certificate_completed':
      return names.completed;
    case 'certificate_expired':
      return names.expired;
  }
}
