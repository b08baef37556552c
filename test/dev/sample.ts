import { randomInt } from 'node:crypto';
import type { Kafka } from 'kafkajs';
import { certificateEvent } from '../demo/subscribers/certificates.ts';
import { owners } from '../demo/subscribers/owners.ts';
import { configurationOf, subscribers } from '../demo/subscribers/subscribers.ts';
import type { Names } from '../demo/environment/service-environment.ts';
import { produceTo } from '../demo/scenario/production.ts';
import { json } from '../support/builders.ts';
import { produce } from '../support/kafka/records.ts';

const owner = owners.harbour;

/** Writes one webhook configuration, for all events of the sample's owner. */
export async function writeConfiguration(kafka: Kafka, names: Names, url: string): Promise<void> {
  const records = subscribers
    .filter((subscriber) => subscriber.owner === owner)
    .map((subscriber) => ({ key: subscriber.id, value: json(configurationOf(subscriber, url)) }));
  await produce(kafka, names.configurations, records);
}

/** Writes a certificate of that owner, with a new id. Resolves to a line that says where it is. */
export async function sendCertificate(kafka: Kafka, names: Names): Promise<string> {
  const event = certificateEvent(owner, 'certificate_completed', randomInt(2 ** 31));
  const [place] = await produceTo(kafka, names.completed, [event]);
  return `sent     certificate ${event.id}, record ${place?.topic}/${place?.partition}/${place?.offset}`;
}
