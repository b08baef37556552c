import type { Kafka } from 'kafkajs';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import type { Delivery } from '../../../src/deliveries/delivery.ts';
import type { DeliveryDeadReason, RecordDeadReason } from '../../../src/deliveries/settle.ts';
import { deadDeliveryHeaders, deadRecordHeaders, withOwnHeaders } from '../../../src/kafka/records/dead-letter.ts';
import { clientOf } from '../../../src/kafka/kafkajs/create-kafka.ts';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import { TopicProducer } from '../../../src/kafka/producer/topic-producer.ts';
import { aDelivery } from '../../support/builders.ts';

export const firstFailedAt = Date.UTC(2026, 10, 1);

interface DeadDeliveryOptions {
  readonly reason?: DeliveryDeadReason;
  readonly failedAt?: number;
}

/** Builds the delivery of the certificate record with that offset. */
export function theDelivery(topic: string, index: number, overrides: Partial<Delivery> = {}): Delivery {
  const source = { topic, partition: index % 2, offset: index, timestamp: firstFailedAt };
  return aDelivery({ source, certificateId: `certificate-${index}`, ...overrides });
}

/** Builds the dead letter that the service writes for a delivery. It has no value if the reason is `too_large`. */
export function deadDelivery(
  delivery: Delivery,
  { reason = 'exhausted', failedAt = firstFailedAt }: DeadDeliveryOptions = {},
): OutgoingRecord {
  const lastFailure = { reason: 'http_error', status: 503, message: 'answered 503' } as const;
  const headers = deadDeliveryHeaders({ ...delivery, lastFailure }, { reason, attemptsMade: 7, failedAt });
  return { key: delivery.key, value: reason === 'too_large' ? null : delivery.body, headers };
}

/** Builds the dead letter that the service writes for a record. */
export function deadRecord(record: SourceRecord, reason: RecordDeadReason, failedAt = firstFailedAt): OutgoingRecord {
  const { key, value } = record;
  const ours = deadRecordHeaders(record, { reason, message: 'no certificate', failedAt }, reason);
  return { key, value, headers: withOwnHeaders(record, ours) };
}

/** Writes dead letters in this order. Resolves once all in-sync replicas have them. */
export async function writeDeadLetters(
  kafka: Kafka,
  topic: string,
  letters: readonly OutgoingRecord[],
  partition = 0,
): Promise<void> {
  await using producer = new TopicProducer({ kafka: clientOf(kafka), topic, compression: 'none' });
  for (let at = 0; at < letters.length; at += 500) await producer.send(partition, letters.slice(at, at + 500));
}
