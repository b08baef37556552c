import type { Admin } from 'kafkajs';
import type { MonotonicClock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { partitionKey } from '../partition-key.ts';
import { readTopicOffsets } from '../topics/start-offsets.ts';
import { connectAdmin, type AdminFactory } from '../topics/topic-admin.ts';

interface LagMonitorOptions {
  readonly kafka: AdminFactory;
  readonly groupId: string;
  /** Returns the partitions currently assigned to this instance, by topic. */
  readonly assigned: () => Readonly<Record<string, readonly number[]>>;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
}

export interface PartitionLag {
  /** From the group's commit to the end of the log. */
  readonly records: number;
  /** The offset after the last record. */
  readonly end: number;
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
        await this.#askRepeatedly(admin);
      } catch (error) {
        // An old lag would look current.
        this.#lags = new Map();
        events.kafkaUnreachable({ doing: `asking for the lag of group ${groupId}`, error, retryInMs: askEveryMs });
      }
    });
  }

  async #askRepeatedly(admin: Admin): Promise<void> {
    const { clock } = this.#options;
    await every({ ms: askEveryMs, clock, signal: this.#stopping.signal, immediately: true }, async () => {
      this.#lags = await this.#ask(admin);
    });
  }

  async #ask(admin: Admin): Promise<ReadonlyMap<string, PartitionLag>> {
    const { groupId, assigned } = this.#options;
    const lags = new Map<string, PartitionLag>();
    for (const [topic, ours] of Object.entries(assigned())) {
      const { partitions } = await readTopicOffsets(admin, groupId, topic);
      for (const { partition, low, high, committed } of partitions) {
        const lag = { records: Math.max(0, high - (committed ?? low)), end: high };
        if (ours.includes(partition)) lags.set(partitionKey(topic, partition), lag);
      }
    }
    return lags;
  }
}
