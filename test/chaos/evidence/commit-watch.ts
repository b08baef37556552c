import { setTimeout } from 'node:timers/promises';
import type { Admin, FetchOffsetsPartition, Kafka } from 'kafkajs';
import { decodeMetadata } from '../../../src/kafka/consumer/commit-metadata.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import type { GroupTopic } from '../../support/kafka/lag.ts';
import type { CommitSeen } from './evidence.ts';

const everyMs = 300;

/** Asks again and again what the groups have committed, while brokers come and go. Disposing it ends that. */
export class CommitWatch implements AsyncDisposable {
  readonly #seen: CommitSeen[] = [];
  readonly #kafka: Kafka;
  readonly #watched: readonly GroupTopic[];
  readonly #last = new Map<string, string>();
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;

  constructor(kafka: Kafka, watched: readonly GroupTopic[]) {
    this.#kafka = kafka;
    this.#watched = watched;
    this.#watching = this.#watch();
  }

  /** Each change of a partition's commit, in the order in which they were seen. */
  get seen(): readonly CommitSeen[] {
    return this.#seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#watchWithOneClient();
      } catch {
        // The coordinator is down or elsewhere: another client looks for it.
      }
    }
  }

  async #watchWithOneClient(): Promise<void> {
    await using admin = await connectAdmin(this.#kafka);
    let isLastLook: boolean;
    do {
      // What is committed up to the end is seen, too.
      isLastLook = this.#stopping.signal.aborted;
      for (const watched of this.#watched) await this.#look(admin, watched);
      if (!isLastLook) await setTimeout(everyMs);
    } while (!isLastLook);
  }

  async #look(admin: Admin, { group, topic: read }: GroupTopic): Promise<void> {
    const answer = await admin.fetchOffsets({ groupId: group, topics: [read] });
    for (const { topic, partitions } of answer) {
      for (const commit of partitions) this.#see(topic, commit);
    }
  }

  #see(topic: string, { partition, offset, metadata }: FetchOffsetsPartition): void {
    const position = Number(offset);
    const place = `${topic}/${partition}`;
    const text = `${offset} ${metadata}`;
    if (position < 0 || this.#last.get(place) === text) return;
    this.#last.set(place, text);
    const settled = decodeMetadata(position, metadata ?? '').settled;
    this.#seen.push({ topic, partition, offset: position, settled, at: Date.now() });
  }
}
