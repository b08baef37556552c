import type { Cluster, Kafka, Message, Producer, Transaction } from 'kafkajs';
import { eventually } from '../time/eventually.ts';
import type { Place } from './records.ts';
import { uniqueName } from './topics.ts';

interface RecordToWrite extends Pick<Message, 'key' | 'value'> {
  /** The partition; 0 when left out. */
  readonly partition?: number;
}

/** Writes to one topic in transactions that overlap as the test wants. */
export async function startTransactions(kafka: Kafka, topic: string): Promise<Transactions> {
  const ends = await openUncommittedEnds(kafka, topic);
  return new Transactions(kafka, topic, ends);
}

export class Transactions implements AsyncDisposable {
  readonly #kafka: Kafka;
  readonly #topic: string;
  readonly #ends: UncommittedEnds;
  readonly #producers = new Map<string, Producer>();
  readonly #open = new Map<string, { readonly transaction: Transaction; readonly partitions: Set<number> }>();

  /** Use `startTransactions`. */
  constructor(kafka: Kafka, topic: string, ends: UncommittedEnds) {
    this.#kafka = kafka;
    this.#topic = topic;
    this.#ends = ends;
  }

  /** Writes records in the transaction of this producer, each partition's in one batch. Begins one if none is open. */
  async write(producer: string, records: readonly RecordToWrite[], compression = 0): Promise<readonly Place[]> {
    const { transaction, partitions } = this.#open.get(producer) ?? (await this.#begin(producer));
    const places: Place[] = [];
    for (const [partition, part] of Map.groupBy(records, (record) => record.partition ?? 0)) {
      const messages = part.map(({ key = null, value }) => ({ key, value, partition }));
      await eventually('the coordinator takes the partition', async () => {
        try {
          const [written] = await transaction.send({ topic: this.#topic, messages, compression });
          places.push(...part.map((_, index) => ({ partition, offset: Number(written?.baseOffset) + index })));
          return true;
        } catch (error) {
          // The producer's last transaction is still being ended. Nothing was written.
          if (error instanceof Error && 'type' in error && error.type === 'CONCURRENT_TRANSACTIONS') return false;
          throw error;
        }
      });
      partitions.add(partition);
    }
    return places;
  }

  /** Ends the producer's transaction. Resolves once its marker is in each partition, so that the order of markers is known. */
  async end(producer: string, how: 'commit' | 'abort'): Promise<void> {
    const open = this.#open.get(producer);
    if (open === undefined) return;
    this.#open.delete(producer);
    const partitions = [...open.partitions];
    const before = await this.#ends.of(partitions);
    await open.transaction[how]();
    await eventually('the markers are written', async () => {
      const now = await this.#ends.of(partitions);
      return partitions.every((partition) => Number(now.get(partition)) > Number(before.get(partition)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { transaction } of this.#open.values()) await transaction.abort();
    for (const producer of this.#producers.values()) await producer.disconnect();
    await this.#ends[Symbol.asyncDispose]();
  }

  async #begin(name: string) {
    const producer = this.#producers.get(name) ?? (await this.#connect(name));
    const open = { transaction: await producer.transaction(), partitions: new Set<number>() };
    this.#open.set(name, open);
    return open;
  }

  async #connect(name: string): Promise<Producer> {
    const transactionalId = `${this.#topic}.${name}`;
    const producer = this.#kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
    this.#producers.set(name, producer);
    await producer.connect();
    return producer;
  }
}

/** The ends of partitions, including records and markers of transactions that are open. */
interface UncommittedEnds extends AsyncDisposable {
  of(partitions: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

async function openUncommittedEnds(kafka: Kafka, topic: string): Promise<UncommittedEnds> {
  const { promise, resolve } = Promise.withResolvers<Cluster>();
  const consumer = kafka.consumer({
    groupId: uniqueName('none'),
    readUncommitted: true,
    partitionAssigners: [
      (context) => {
        resolve(context.cluster);
        return { name: 'none', version: 0, assign: () => Promise.resolve([]), protocol: () => Object.create(null) };
      },
    ],
  });
  await consumer.connect();
  const cluster = await promise;
  await cluster.addTargetTopic(topic);
  return {
    async of(partitions) {
      const asked = partitions.map((partition) => ({ partition }));
      const [answer] = await cluster.fetchTopicsOffset([{ topic, partitions: asked, fromBeginning: false }]);
      return new Map(answer?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    },
    [Symbol.asyncDispose]: () => consumer.disconnect(),
  };
}
