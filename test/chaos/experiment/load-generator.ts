import { setTimeout } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import type { Acknowledged } from '../evidence/evidence.ts';

export interface LoadOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  /** Each owner's certificates go to one partition, in turn. */
  readonly owners: readonly string[];
  readonly perSecond: number;
}

const everyMs = 50;
/** What could not be written while the brokers were away is not caught up on. */
const longestBacklogMs = 500;

/** Writes certificates at a steady rate, whatever happens, until it is stopped. */
export class Load implements AsyncDisposable {
  readonly #acknowledged: Acknowledged[] = [];
  readonly #options: LoadOptions;
  readonly #stopping = new AbortController();
  #writing: Promise<unknown> | undefined;
  #made = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  get acknowledged(): readonly Acknowledged[] {
    return this.#acknowledged;
  }

  /** Saying it again changes nothing. */
  start(): void {
    const { partitions } = this.#options;
    this.#writing ??= Promise.all(Array.from({ length: partitions }, (_, partition) => this.#write(partition)));
  }

  /** Resolves once nothing more is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** One partition a request: one over several loses records without a word when a leader moves (kafkajs#1303). */
  async #write(partition: number): Promise<void> {
    const { kafka, partitions, perSecond } = this.#options;
    await using producer = await connectProducer(kafka);
    let writtenUntil = Date.now();
    while (!this.#stopping.signal.aborted) {
      await setTimeout(everyMs);
      const dueMs = Math.min(longestBacklogMs, Date.now() - writtenUntil);
      const count = Math.floor((dueMs * perSecond) / partitions / 1000);
      if (count === 0) continue;
      writtenUntil = Date.now();
      await this.#writeSome(producer, partition, count);
    }
  }

  async #writeSome(
    producer: Awaited<ReturnType<typeof connectProducer>>,
    partition: number,
    count: number,
  ): Promise<void> {
    const { topic, partitions, owners } = this.#options;
    const mine = owners.filter((_, index) => index % partitions === partition);
    const documents = Array.from({ length: count }, () => this.#certificate(mine));
    try {
      const messages = documents.map(({ ownerId, value }) => ({ partition, key: ownerId, value }));
      const [written] = await producer.send({ topic, acks: -1, messages });
      const at = Date.now();
      const first = Number(written?.baseOffset);
      documents.forEach(({ id }, index) => {
        this.#acknowledged.push({ partition, offset: first + index, certificateId: id, at });
      });
    } catch {
      // Whether they were written nobody knows; what is in the topic in the end tells.
    }
  }

  #certificate(owners: readonly string[]): { readonly id: string; readonly ownerId: string; readonly value: Buffer } {
    this.#made += 1;
    const ownerId = owners[this.#made % owners.length] ?? 'nobody';
    const id = `certificate-${this.#made}`;
    return { id, ownerId, value: json(aCertificateDocument({ _id: id, _ownerId: ownerId })) };
  }
}
