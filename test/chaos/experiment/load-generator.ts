import { setTimeout } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import { aCertificateDocument, json } from '../../support/builders.ts';
import { connectProducer } from '../../support/kafka/client.ts';
import type { AcknowledgedRecord } from '../evidence/evidence.ts';

interface LoadGeneratorOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly partitions: number;
  /** Certificates are spread over the owners. All certificates of one owner go to one partition. */
  readonly owners: readonly string[];
  readonly perSecond: number;
}

const writeEveryMs = 50;
/** Certificates that are overdue for longer are skipped: an outage of the brokers must not cause a burst. */
const maxBacklogMs = 500;

/** Writes certificates at a steady rate until it is stopped. Failed writes are skipped. */
export class LoadGenerator implements AsyncDisposable {
  readonly #acknowledged: AcknowledgedRecord[] = [];
  readonly #options: LoadGeneratorOptions;
  readonly #stopping = new AbortController();
  #writing: Promise<unknown> | undefined;
  #created = 0;

  constructor(options: LoadGeneratorOptions) {
    this.#options = options;
  }

  get acknowledged(): readonly AcknowledgedRecord[] {
    return this.#acknowledged;
  }

  /** Starts writing. Further calls have no effect. */
  start(): void {
    const { partitions } = this.#options;
    this.#writing ??= Promise.all(Array.from({ length: partitions }, (_, partition) => this.#write(partition)));
  }

  /** Stops writing. Resolves once no write is in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Writes to one partition. A request for several would lose records when a leader moves (kafkajs#1303). */
  async #write(partition: number): Promise<void> {
    const { kafka, partitions, perSecond } = this.#options;
    await using producer = await connectProducer(kafka);
    let writtenUntil = Date.now();
    while (!this.#stopping.signal.aborted) {
      await setTimeout(writeEveryMs);
      const dueMs = Math.min(maxBacklogMs, Date.now() - writtenUntil);
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
    const ownersHere = owners.filter((_, index) => index % partitions === partition);
    const documents = Array.from({ length: count }, () => this.#certificate(ownersHere));
    try {
      const messages = documents.map(({ ownerId, value }) => ({ partition, key: ownerId, value }));
      const [written] = await producer.send({ topic, acks: -1, messages });
      const at = Date.now();
      const first = Number(written?.baseOffset);
      documents.forEach(({ id }, index) => {
        this.#acknowledged.push({ partition, offset: first + index, certificateId: id, at });
      });
    } catch {
      // These records may or may not be in the topic. The evidence is read from the topic at the end.
    }
  }

  #certificate(owners: readonly string[]): { readonly id: string; readonly ownerId: string; readonly value: Buffer } {
    this.#created += 1;
    const ownerId = owners[this.#created % owners.length] ?? 'unknown-owner';
    const id = `certificate-${this.#created}`;
    return { id, ownerId, value: json(aCertificateDocument({ _id: id, _ownerId: ownerId })) };
  }
}
