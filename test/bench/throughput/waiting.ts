import { setTimeout } from 'node:timers/promises';
import type { Message, Producer } from 'kafkajs';
import { retryHeaders } from '../../../src/kafka/records/envelope.ts';
import { aDelivery } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { quantile } from '../quantile.ts';
import { machineTimeMs } from '../written-at.ts';
import { certificateOf, nameOf } from './certificates.ts';
import { startService } from '../service.ts';
import { createPlace } from './service-setup.ts';
import { usageOf } from './process-usage.ts';
import type { Sample } from './sample.ts';
import type { Stage } from './environment.ts';
import type { Subscribers } from './subscribers.ts';

export interface Waiting {
  readonly partitions: number;
  readonly subscribers: Subscribers;
  /** Deliveries that are due in an hour. */
  readonly waiting: number;
  /** Deliveries that fall due while it is measured, one after the other, and in which time they do. */
  readonly due: number;
  readonly dueForMs: number;
}

const settleMs = 15_000;
const atOnce = 2000;
const writeEveryMs = 20;
const dueTier = '10s';
const dueAfterMs = 10_000;
const waitingTiers = ['1h', '6h', '24h'];
const waitingMs = 3_600_000;

/** Many deliveries wait in tiers: what that takes, and how late those are started that fall due in another one. */
export async function runWaiting(stage: Stage, parts: Waiting, program: string): Promise<Sample> {
  const { receiver, logFile } = stage;
  const { partitions, subscribers, waiting, due, dueForMs } = parts;
  const topic = uniqueName('certificates');
  await createTopics(stage.kafka, [{ topic, partitions }]);
  const { name, environment } = await createPlace(stage, { topic, partitions, subscribers });
  await using producer = await connectProducer(stage.kafka);
  const write = retryWriter(producer, { partitions, subscribers, prefix: `${name}.retry` });
  for (let from = 0; from < waiting; from += atOnce)
    await write({ tiers: waitingTiers, from, to: Math.min(waiting, from + atOnce), inMs: waitingMs });
  await receiver.prepare({ answerAfterMs: 0, milestones: [due] });
  const delivered = receiver.reached(0);
  await using service = await startService({ program, environment, logFile });
  await setTimeout(settleMs);
  const { residentMiB } = usageOf(service);
  const start = machineTimeMs();
  for (let from = 0, to = 0; from < due; from = to) {
    await setTimeout(writeEveryMs);
    to = Math.min(due, Math.ceil(((machineTimeMs() - start) * due) / dueForMs));
    await write({ tiers: [dueTier], from, to, inMs: dueAfterMs });
  }
  await delivered;
  const late = (await receiver.tell()).map(({ writtenAt, answeredAt }) => answeredAt - writtenAt);
  const { peakMemoryMiB } = usageOf(service);
  return { residentMiB, peakMemoryMiB, p50: quantile(late, 0.5), p99: quantile(late, 0.99) };
}

interface Retries {
  /** They take turns. */
  readonly tiers: readonly string[];
  /** By number. */
  readonly from: number;
  readonly to: number;
  /** When they are due, from now. */
  readonly inMs: number;
}

/** What is written says as the time of its certificate when it is due. */
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
      const headers = Object.fromEntries(retryHeaders(aRetry(number, owner, now), now + inMs));
      return { key: nameOf(owner), value, headers, partition: owner % partitions };
    };
    const topicMessages = [...byTier].map(([tier, some]) => ({
      topic: `${prefix}.${tier}`,
      messages: some.map(messageOf),
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
