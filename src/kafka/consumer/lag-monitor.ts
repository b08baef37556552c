import { type MonotonicClock, every } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import type { Admin, Cluster, Kafka } from '../client/kafka.ts';
import { partitionKey } from '../client/consumer.ts';
import { readTopicOffsets } from '../topics/start-offsets.ts';
import { connectAdmin } from '../topics/topic-admin.ts';

interface LagMonitorOptions {
  readonly kafka: Kafka;
  readonly groupId: string;
  readonly assigned: () => Readonly<Record<string, readonly number[]>>;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
}

export interface PartitionLag {
  readonly records: number;
  /** The offset after the last record, also of an open transaction: the high watermark. */
  readonly end: number;
  /** Where a transaction begins that has been open for a whole interval. Nothing from there on can be read. */
  readonly openSince?: number | undefined;
}

/** Pause in ms between two requests for the offsets. Bounds the age of the lag in metrics and on the status page. */
const askEveryMs = 15_000;

/**
 * Asks the brokers how far the group's commits are behind the ends of its partitions. A fetch would report the end only
 * for partitions that are not paused.
 */
export class LagMonitor implements AsyncDisposable {
  readonly #options: LagMonitorOptions;
  readonly #stopping = new AbortController();
  readonly #polling: Promise<void>;
  #lags: ReadonlyMap<string, PartitionLag> = new Map();

  constructor(options: LagMonitorOptions) {
    this.#options = options;
    this.#polling = this.#poll();
  }

  /** Returns undefined until the brokers have answered. */
  of(topic: string, partition: number): PartitionLag | undefined {
    return this.#lags.get(partitionKey(topic, partition));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const { clock, kafka, events, groupId } = this.#options;
    const { signal } = this.#stopping;
    await every({ ms: askEveryMs, clock, signal, immediately: true }, async () => {
      try {
        await using admin = await connectAdmin(kafka);
        await using cluster = await kafka.connectCluster();
        await every({ ms: askEveryMs, clock, signal, immediately: true }, async () => {
          this.#lags = await this.#ask(admin, cluster);
        });
      } catch (error) {
        // An old lag would look current.
        this.#lags = new Map();
        events.kafkaUnreachable({ doing: `asking for the lag of group ${groupId}`, error, retryInMs: askEveryMs });
      }
    });
  }

  async #ask(admin: Admin, cluster: Cluster): Promise<ReadonlyMap<string, PartitionLag>> {
    const { groupId, assigned } = this.#options;
    const lags = new Map<string, PartitionLag>();
    for (const [topic, ours] of Object.entries(assigned())) {
      const { partitions } = await readTopicOffsets(admin, groupId, topic);
      const ends = await cluster.fetchEnds(topic, ours);
      for (const { partition, low, high: stableEnd, committed } of partitions) {
        const end = ends.get(partition);
        if (end === undefined) continue;
        // The last answer proves that a record at this offset was there an interval ago.
        const isHeld = Math.min(end, this.of(topic, partition)?.end ?? 0) > stableEnd;
        const openSince = isHeld ? stableEnd : undefined;
        lags.set(partitionKey(topic, partition), { records: Math.max(0, end - (committed ?? low)), end, openSince });
      }
    }
    return lags;
  }
}
