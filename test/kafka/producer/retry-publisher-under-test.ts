import { inject } from 'vitest';
import type { SourceRecord } from '../../../src/certificates/record.ts';
import type { Delivery } from '../../../src/deliveries/delivery.ts';
import { clientOf } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { type RetryPublisherOptions, KafkaRetryPublisher } from '../../../src/kafka/producer/retry-publisher.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { connectAdmin, quietClient } from '../../support/kafka/client.ts';
import type { RecordRead } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { eventually } from '../../support/time/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';

/** Fails fast: the tests provoke failures, and long client retries would make them slow. */
export const kafka = quietClient(inject('kafka'), { retry: { retries: 2, initialRetryTime: 50, maxRetryTime: 100 } });
export const service = clientOf(kafka);
export const dueAt = Date.UTC(2026, 10, 21, 12, 0, 0, 7);
export const failedAt = Date.UTC(2026, 10, 21, 12);

/** Collects the events of a publisher. `next` resolves with the next event of a kind. */
export class EmittedEvents {
  readonly lines: string[] = [];
  readonly #waiting = new Map<string, () => void>();

  readonly events: RetryPublisherOptions['events'] = {
    retryScheduled: ({ tier, records }) => this.#emit('retryScheduled', `${records} in ${tier}`),
    deadLetterWritten: ({ reason }) => this.#emit('deadLetterWritten', reason),
    handoffFailed: ({ kind, topic }) => this.#emit('handoffFailed', `${kind} ${topic}`),
  };

  next(event: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(event, resolve));
  }

  #emit(event: string, what: string): void {
    this.lines.push(`${event}: ${what}`);
    this.#waiting.get(event)?.();
    this.#waiting.delete(event);
  }
}

const allSafe = { writable: (tier: number) => tier, nextLook: () => Promise.resolve() };

interface PublisherOptions extends Pick<RetryPublisherOptions, 'kafka' | 'clock' | 'tierWatch'> {
  readonly emitted: EmittedEvents;
}

export function publisherTo(
  tiers: readonly string[],
  deadLetterTopic: string,
  {
    emitted = new EmittedEvents(),
    kafka: client = service,
    clock = fastClock,
    tierWatch = allSafe,
  }: Partial<PublisherOptions> = {},
): KafkaRetryPublisher {
  return new KafkaRetryPublisher({
    kafka: client,
    tiers: tiers.map((topic, tier) => ({ topic, label: `${tier + 1}m`, delayMs: (tier + 1) * 60_000 })),
    tierWatch,
    deadLetterTopic,
    compression: 'none',
    events: emitted.events,
    clock,
    random: () => 0,
    lingerMs: 10,
  });
}

export async function newTopic(
  name: string,
  partitions = 1,
  settings: Record<string, string | number> = {},
): Promise<string> {
  const topic = uniqueName(name);
  await createTopics(kafka, [{ topic, partitions, settings }]);
  return topic;
}

/** Resolves once the topic is gone. The broker answers before it deletes. */
export async function deleteTopic(topic: string): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topic] });
  await eventually(`${topic} is gone`, async () => !(await admin.listTopics()).includes(topic));
}

export function deliveryFrom(partition: number, offset: number, fields: Partial<Delivery> = {}): Delivery {
  return aDelivery({ source: { topic: 'certificates.completed', partition, offset, timestamp: failedAt }, ...fields });
}

export function asRecord(topic: string, read: RecordRead | undefined): SourceRecord {
  return aRecord({ topic, key: read?.key ?? null, value: read?.value ?? null, headers: read?.headers ?? {} });
}
