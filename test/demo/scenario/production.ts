import { setTimeout } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import type { EventType } from '../../../src/certificates/certificate.ts';
import { produce } from '../../support/kafka/records.ts';
import type { CertificateEvent } from '../subscribers/certificates.ts';
import type { TopicNames } from '../../support/service/topic-names.ts';
import { untilAborted } from '../interrupts.ts';

/** A certificate event with its partition and offset in Kafka. */
export interface ProducedCertificate extends CertificateEvent {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

interface ProduceOptions {
  readonly kafka: Kafka;
  readonly names: TopicNames;
  readonly events: readonly CertificateEvent[];
  readonly signal: AbortSignal;
}

/** Certificates per batch. Small batches spread the requests over some seconds. */
const batchSize = 16;
const pauseMs = 300;

export async function produceInBatches({
  kafka,
  names,
  events,
  signal,
}: ProduceOptions): Promise<readonly ProducedCertificate[]> {
  const produced: ProducedCertificate[] = [];
  for (let from = 0; from < events.length; from += batchSize) {
    const batch = events.slice(from, from + batchSize);
    for (const [event, ofEvent] of Map.groupBy(batch, (one) => one.event)) {
      produced.push(...(await untilAborted(signal, produceTo(kafka, topicOf(event, names), ofEvent))));
    }
    await setTimeout(pauseMs, undefined, { signal });
  }
  return produced;
}

export async function produceTo(
  kafka: Kafka,
  topic: string,
  events: readonly CertificateEvent[],
): Promise<readonly ProducedCertificate[]> {
  const records = events.map(({ owner, body }) => ({ key: owner.id, value: body, partition: owner.partition }));
  const places = await produce(kafka, topic, records);
  return events.flatMap((event, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ ...event, topic, ...place }];
  });
}

function topicOf(event: EventType, names: TopicNames): string {
  return event === 'certificate_completed' ? names.completed : names.expired;
}
