import type { EachBatchPayload } from 'kafkajs';
import type { ConsumerHooks } from '../../../src/kafka/kafkajs/hooks.ts';
import type { FetchedPartition, MemoryBroker, TopicPlace } from './memory-broker.ts';
import { ConnectionLostError } from './errors.ts';
import type { GroupMember } from './group-member.ts';
import { toBatch, type Subscription } from './assigned-partitions.ts';
import type { Wire } from './broker-connection.ts';

export interface FetchLoopParts {
  readonly broker: MemoryBroker;
  readonly wire: Wire;
  readonly groupId: string;
  readonly member: GroupMember;
  readonly subscription: Subscription;
  readonly minBytes: number;
  readonly maxWaitMs: number;
  readonly hooks: ConsumerHooks | undefined;
  readonly eachBatch: (payload: EachBatchPayload) => Promise<void>;
  readonly emit: (name: 'consumer.fetch_start' | 'consumer.end_batch_process', payload: unknown) => void;
}

/** Small, so that a batch is often only part of what there is. */
const recordsPerFetch = 8;
const faultPauseMs = 250;

/** Fetches what the member is assigned and hands it on, batch after batch, with a heartbeat after each. */
export class FetchLoop {
  readonly #parts: FetchLoopParts;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(parts: FetchLoopParts) {
    this.#parts = parts;
  }

  /** Runs until it is stopped or something is met that ends the reading; `met` is told then. */
  start(met: (error: unknown) => Promise<void>): void {
    this.#isRunning = true;
    this.#running = this.#run().catch((error: unknown) => {
      this.#isRunning = false;
      void met(error);
    });
  }

  /** Resolves once nothing is handed on any more. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.wake();
    await this.#running;
  }

  /** There may be something to read: ends a nap. */
  wake(): void {
    this.#wake();
  }

  async #run(): Promise<void> {
    const { member, emit } = this.#parts;
    while (this.#isRunning) {
      emit('consumer.fetch_start', {});
      const fetched = await this.#fetchOrPause();
      for (const partition of fetched) if (this.#isRunning) await this.#handle(partition);
      if (fetched.length === 0 && this.#isRunning) await member.heartbeat();
    }
  }

  async #fetchOrPause(): Promise<readonly FetchedPartition[]> {
    try {
      return await this.#fetch();
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      await this.#nap(faultPauseMs);
      return [];
    }
  }

  async #fetch(): Promise<readonly FetchedPartition[]> {
    const { broker, wire, subscription, minBytes, maxWaitMs } = this.#parts;
    const places = subscription.active();
    if (places.length === 0) {
      await this.#nap(maxWaitMs);
      return [];
    }
    await this.#findPositions(places.filter((place) => subscription.position(place) === undefined));
    const asked = places.map((place) => ({ ...place, from: subscription.position(place) ?? 0 }));
    const topics = [...new Set(places.map(({ topic }) => topic))];
    const fetched = await wire.request({ kind: 'fetch', topics }, () =>
      broker.fetch(asked, { minBytes, maxWaitMs, limit: recordsPerFetch }),
    );
    // What was paused meanwhile is fetched again.
    return fetched.filter(
      (one) => !subscription.isPaused(one) && (one.found === undefined || one.found.next > one.from),
    );
  }

  /** Where the group's commits stand; the beginning without one. */
  async #findPositions(places: readonly TopicPlace[]): Promise<void> {
    if (places.length === 0) return;
    const { broker, wire, groupId, subscription } = this.#parts;
    const offsets = await wire.request({ kind: 'offsets' }, () =>
      places.map(
        (place) => broker.group(groupId).committed(place.topic, place.partition)?.offset ?? broker.log(place).start,
      ),
    );
    for (const [index, place] of places.entries()) subscription.seek(place, offsets[index] ?? 0);
  }

  async #handle(fetched: FetchedPartition): Promise<void> {
    const { subscription, eachBatch, emit, member, hooks, broker } = this.#parts;
    const { topic, partition, from, found } = fetched;
    if (found === undefined) {
      const to = broker.log(fetched).start;
      hooks?.offsetReset({ topic, partition, from, to });
      return subscription.seek(fetched, to);
    }
    const batch = toBatch(fetched, found);
    const last = found.records.at(-1)?.offset;
    if (last === undefined) subscription.seek(fetched, found.next);
    else {
      await eachBatch({
        batch,
        resolveOffset: (offset) =>
          subscription.seek(fetched, Number(offset) === last ? found.next : Number(offset) + 1),
        heartbeat: () => member.heartbeat(),
        pause: () => () => undefined,
        commitOffsetsIfNecessary: async () => undefined,
        uncommittedOffsets: () => ({ topics: [] }),
        isRunning: () => this.#isRunning,
        isStale: () => false,
      });
    }
    const batchSize = found.records.length;
    emit('consumer.end_batch_process', { topic, partition, batchSize, lastOffset: batch.lastOffset() });
    await member.heartbeat();
  }

  #nap(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer[Symbol.dispose]();
        this.#wake = () => undefined;
        resolve();
      };
      const timer = this.#parts.wire.clock.after(ms, end);
      this.#wake = end;
    });
  }
}
