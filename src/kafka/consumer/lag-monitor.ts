import type { Admin } from 'kafkajs';
import type { Clock } from '../../lib/clock.ts';
import { every } from '../../lib/every.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { topicStanding } from '../topics/start-offsets.ts';
import { connectAdmin, type AdminFactory } from '../topics/topic-admin.ts';

export interface LagMonitorOptions {
  readonly kafka: AdminFactory;
  readonly groupId: string;
  /** Partitions by topic that are this instance's at present. */
  readonly assigned: () => Readonly<Record<string, readonly number[]>>;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: Clock;
}

/** Of one partition. */
interface Lag {
  readonly records: number;
  readonly end: number;
}

const askEveryMs = 15_000;

/** How far the group's commits are behind the ends of its partitions, asked for whether they are read or paused. */
export class LagMonitor implements AsyncDisposable {
  readonly #options: LagMonitorOptions;
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  #lags: ReadonlyMap<string, Lag> = new Map();

  constructor(options: LagMonitorOptions) {
    this.#options = options;
    this.#watching = this.#watch();
  }

  /** Records from the commit to the end; undefined until the brokers have been asked. */
  lagOf(topic: string, partition: number): number | undefined {
    return this.#lags.get(`${topic}/${partition}`)?.records;
  }

  /** The offset after the partition's last record; undefined until the brokers have been asked. */
  endOf(topic: string, partition: number): number | undefined {
    return this.#lags.get(`${topic}/${partition}`)?.end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { clock, kafka, events, groupId } = this.#options;
    const { signal } = this.#stopping;
    await every({ ms: askEveryMs, clock, signal, immediately: true }, async () => {
      try {
        await using admin = await connectAdmin(kafka);
        await this.#askRepeatedly(admin);
      } catch (error) {
        // What it was is no answer to how much it is.
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

  async #ask(admin: Admin): Promise<ReadonlyMap<string, Lag>> {
    const { groupId, assigned } = this.#options;
    const lags = new Map<string, Lag>();
    for (const [topic, ours] of Object.entries(assigned())) {
      const { partitions } = await topicStanding(admin, groupId, topic);
      for (const { partition, low, high, committed } of partitions) {
        const lag = { records: Math.max(0, high - (committed ?? low)), end: high };
        if (ours.includes(partition)) lags.set(`${topic}/${partition}`, lag);
      }
    }
    return lags;
  }
}
