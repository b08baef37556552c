import { setTimeout } from 'node:timers/promises';
import type { Message, Producer } from 'kafkajs';
import { messageHeaders } from '../../../../src/kafka/kafkajs/batches/message-headers.ts';
import { retryHeaders } from '../../../../src/kafka/records/envelope.ts';
import { aDelivery } from '../../../support/builders.ts';
import { connectProducer } from '../../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../../support/kafka/topics.ts';
import { quantile } from '../../quantile.ts';
import { prepareService } from '../../service.ts';
import { machineTimeMs } from '../../written-at.ts';
import { certificateOf, nameOf } from '../certificates.ts';
import type { BenchEnvironment } from '../environment.ts';
import { usageOf } from '../process-usage.ts';
import type { Sample } from '../sample.ts';
import type { Subscribers } from '../subscribers.ts';

interface Waiting {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  /** Retries that are due in an hour. */
  readonly waiting: number;
  /** Retries that become due at a steady pace during the measurement, and its duration. */
  readonly due: number;
  readonly dueForMs: number;
}

const settleMs = 15_000;
const recordsPerWrite = 2000;
const writeEveryMs = 20;
const dueTier = '10s';
const dueAfterMs = 10_000;
const waitingTiers = ['1h', '6h', '24h'];
const waitingMs = 3_600_000;

/** Measures the memory of retries that wait in their tiers, and the latency of due retries in another tier. */
export async function runWaiting(environment: BenchEnvironment, options: Waiting): Promise<Sample> {
  const { receiver } = environment;
  const { partitions, subscribers, waiting, due, dueForMs } = options;
  const topic = uniqueName('certificates');
  await createTopics(environment.kafka, [{ topic, partitions }]);
  const prepared = await prepareService(environment, { topic, partitions, subscribers });
  await using producer = await connectProducer(environment.kafka);
  const write = retryWriter(producer, { partitions, subscribers, prefix: `${prepared.name}.retry` });
  for (let from = 0; from < waiting; from += recordsPerWrite)
    await write({ tiers: waitingTiers, from, to: Math.min(waiting, from + recordsPerWrite), inMs: waitingMs });
  await receiver.prepare({ answerAfterMs: 0, milestones: [due] });
  const delivered = receiver.reached(0);
  await using service = await prepared.launch();
  await service.ready();
  await setTimeout(settleMs);
  const { residentMiB } = usageOf(service);
  const start = machineTimeMs();
  for (let from = 0, to = 0; from < due; from = to) {
    await setTimeout(writeEveryMs);
    to = Math.min(due, Math.ceil(((machineTimeMs() - start) * due) / dueForMs));
    await write({ tiers: [dueTier], from, to, inMs: dueAfterMs });
  }
  await delivered;
  const latencies = (await receiver.arrivals()).map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
  const { peakMemoryMiB } = usageOf(service);
  return { residentMiB, peakMemoryMiB, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

interface Retries {
  /** Tiers that get the retries in turn. */
  readonly tiers: readonly string[];
  /** Numbers of the first retry and of the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The time until they are due. */
  readonly inMs: number;
}

/** Returns a function that writes retries. Their certificates' ids hold the due time instead of the time of the write. */
function retryWriter(
  producer: Pick<Producer, 'sendBatch'>,
  { prefix, partitions, subscribers }: Pick<Waiting, 'partitions' | 'subscribers'> & { readonly prefix: string },
) {
  return async ({ tiers, from, to, inMs }: Retries): Promise<void> => {
    const [now, dueAt] = [Date.now(), machineTimeMs() + inMs];
    const numbers = Array.from({ length: to - from }, (_, index) => from + index);
    const byTier = Map.groupBy(numbers, (number) => tiers[number % tiers.length] ?? '');
    const messageOf = (number: number): Message => {
      const owner = number % subscribers.owners;
      const value = certificateOf(number, owner, dueAt);
      const headers = messageHeaders(retryHeaders(aRetry(number, owner, now), now + inMs));
      return { key: nameOf(owner), value, headers, partition: owner % partitions };
    };
    const topicMessages = [...byTier].map(([tier, ofTier]) => ({
      topic: `${prefix}.${tier}`,
      messages: ofTier.map(messageOf),
    }));
    await producer.sendBatch({ topicMessages });
  };
}

function aRetry(number: number, owner: number, plannedAt: number) {
  return aDelivery({
    webhookId: `webhook-${owner}-0`,
    ownerId: nameOf(owner),
    certificateId: String(number),
    source: { topic: 'certificates', partition: 0, offset: number, timestamp: plannedAt },
    attempt: 2,
    plannedAt,
    firstAttemptedAt: plannedAt,
    lastFailure: { reason: 'timeout', status: undefined, message: undefined },
  });
}
