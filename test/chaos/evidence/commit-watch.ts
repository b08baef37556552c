import { setTimeout } from 'node:timers/promises';
import type { Admin, FetchOffsetsPartition, Kafka } from 'kafkajs';
import { decodeMetadata } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import type { GroupTopic } from '../../support/kafka/lag.ts';
import type { ObservedCommit } from './evidence.ts';

const pollEveryMs = 300;

/** Polls the commits of the groups until it is disposed of, also while brokers are down. */
export class CommitWatch implements AsyncDisposable {
  readonly #observed: ObservedCommit[] = [];
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

  /** Each change of a partition's commit, in the order of observation. */
  get observed(): readonly ObservedCommit[] {
    return this.#observed;
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
        // The coordinator is down or has moved: a new client finds it.
      }
    }
  }

  async #watchWithOneClient(): Promise<void> {
    await using admin = await connectAdmin(this.#kafka);
    let isLast: boolean;
    do {
      // One more round after the abort, so that the last commits are observed.
      isLast = this.#stopping.signal.aborted;
      for (const watched of this.#watched) await this.#readCommits(admin, watched);
      if (!isLast) await setTimeout(pollEveryMs);
    } while (!isLast);
  }

  async #readCommits(admin: Admin, { group, topic: read }: GroupTopic): Promise<void> {
    const answer = await admin.fetchOffsets({ groupId: group, topics: [read] });
    for (const { topic, partitions } of answer) {
      for (const commit of partitions) this.#record(topic, commit);
    }
  }

  #record(topic: string, { partition, offset, metadata }: FetchOffsetsPartition): void {
    const committed = Number(offset);
    const key = `${topic}/${partition}`;
    const text = `${offset} ${metadata}`;
    if (committed < 0 || this.#last.get(key) === text) return;
    this.#last.set(key, text);
    const settled = decodeMetadata(committed, metadata ?? '').settled;
    this.#observed.push({ topic, partition, offset: committed, settled, at: Date.now() });
  }
}
