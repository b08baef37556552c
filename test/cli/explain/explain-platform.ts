import type { Delivery } from '../../../src/deliveries/delivery.ts';
import { encodeMetadata } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import type { OutgoingRecord } from '../../../src/kafka/producer/batch.ts';
import { retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { aCertificateDocument, aConfiguration, json, type Document } from '../../support/builders.ts';
import { startMemoryKafka } from '../../support/kafka/memory/start-memory-kafka.ts';
import { produce } from '../../support/kafka/records.ts';
import { startPlatform, type Platform, type PlatformOptions } from '../../support/service/platform.ts';
import { theDelivery } from '../dead-letters/dead-letters.ts';
import { runHere } from '../program.ts';

export const start = Date.UTC(2026, 10, 20);
export const minute = 60_000;
/** The time so many minutes later, as it is printed in words and in JSON. */
export const words = (minutes: number): string => iso(minutes).replace('T', ' ').replace('.000Z', 'Z');
export const iso = (minutes: number): string => new Date(start + minutes * minute).toISOString();

export async function aPlatform(parts: AsyncDisposableStack, options: PlatformOptions = {}): Promise<Platform> {
  const { brokers } = parts.use(await startMemoryKafka());
  return parts.use(await startPlatform({ brokers, delays: ['10m', '1h'], ...options }));
}

/** Writes a certificate record so many minutes after the start. */
export async function certificate({ kafka, topics }: Platform, minutes: number, document: Document): Promise<void> {
  const value = json(aCertificateDocument({ _ownerId: 'owner', ...document }));
  await produce(kafka, topics.completed, [{ value, timestamp: start + minutes * minute }]);
}

export async function configuration(
  platform: Platform,
  minutes: number,
  id: string,
  document: Document | null,
): Promise<void> {
  const value = document && json(aConfiguration({ _id: id, _ownerId: 'owner', ...document }));
  const { kafka, topics } = platform;
  await produce(kafka, topics.configurations, [{ key: id, value, timestamp: start + minutes * minute }]);
}

/** Commits these offsets for a group, and the ranges above them. */
export async function commit(
  { environment }: Platform,
  group: string,
  topic: string,
  offset: number,
  settled: readonly (readonly [start: number, end: number])[] = [],
): Promise<void> {
  const brokers = [String(environment['KAFKA_BROKERS'])];
  using kafka = createKafka({ purpose: 'admin', brokers, clientId: 'test', log: () => undefined });
  await using cluster = await kafka.connectCluster();
  const ranges = settled.map(([from, end]) => ({ start: from, end }));
  const metadata = encodeMetadata(offset, { settled: ranges, mark: undefined }, 4096);
  await cluster.commit(group, {
    topics: [{ topic, partitions: [{ partition: 0, offset: String(offset), metadata }] }],
  });
}

/** Writes what the service or a command writes about a delivery. */
export async function write(
  { kafka }: Platform,
  topic: string,
  minutes: number,
  { value, headers }: Pick<OutgoingRecord, 'value' | 'headers'>,
): Promise<void> {
  const texts = headers.map(([name, text]) => [name, text === null ? null : Buffer.from(text)] as const);
  await produce(kafka, topic, [{ value, headers: texts, timestamp: start + minutes * minute }]);
}

export function delivery(
  { topics }: Platform,
  offset: number,
  webhookId: string,
  overrides: Partial<Delivery> = {},
): Delivery {
  const source = { topic: topics.completed, partition: 0, offset, timestamp: start };
  return theDelivery(topics.completed, offset, {
    source,
    certificateId: 'c-1',
    ownerId: 'owner',
    webhookId,
    plannedAt: start,
    ...overrides,
  });
}

/** A write to a tier after so many attempts, the last of which was answered with 503. */
export function retry(
  of: Delivery,
  attemptsMade: number,
  dueMinutes: number,
  reason: 'http_error' | 'paused' = 'http_error',
) {
  const lastFailure = { reason, status: reason === 'paused' ? undefined : 503, message: 'told' };
  const headers = retryHeaders({ ...of, attempt: attemptsMade + 1, lastFailure }, start + dueMinutes * minute);
  return { value: of.body, headers };
}

export async function result({ kafka, topics }: Platform, of: Delivery, fields: Document): Promise<void> {
  const { deliveryId, webhookId: configurationId, ownerId, certificateId } = of;
  const value = json({ type: 'delivery.attempted', configurationId, ownerId, certificateId, deliveryId, ...fields });
  await produce(kafka, topics.results, [{ value }]);
}

export async function explained({ environment }: Platform, ...args: readonly string[]) {
  const id = args.length === 0 ? ['--certificate', 'c-1'] : args;
  const ran = await runHere(environment, 'explain', '--json', ...id);
  return { ...ran, answers: ran.out.map((line) => JSON.parse(line) as Document) };
}

/** Returns the answers for the webhooks of the first record, by their ids. */
export async function webhooksOf(platform: Platform): Promise<Readonly<Record<string, Document>>> {
  const { answers } = await explained(platform);
  const webhooks = answers[0]?.['webhooks'] as readonly Document[];
  return Object.fromEntries(webhooks.map((one) => [String(one['configurationId']), one]));
}
