import type { ConsumerHooks } from '../../../src/kafka/client/consumer.ts';
import type { FetchedPartition, MemoryBroker, TopicPartition } from './memory-broker.ts';
import { ConnectionLostError } from './errors.ts';
import type { GroupMember } from './group-member.ts';
import { toBatch, type AssignedPartitions } from './assigned-partitions.ts';
import type { BrokerConnection } from './broker-connection.ts';

interface FetchLoopOptions {
  readonly broker: MemoryBroker;
  readonly connection: BrokerConnection;
  readonly groupId: string;
  readonly member: GroupMember;
  readonly assigned: AssignedPartitions;
  readonly minBytes: number;
  readonly maxWaitMs: number;
  readonly recordsPerFetch: number;
  readonly hooks: ConsumerHooks;
  readonly active: () => void;
}

const faultPauseMs = 250;

/** Fetches the assigned partitions and hands all batches of a fetch to the hook at once, with a heartbeat after each fetch. */
export class FetchLoop {
  readonly #options: FetchLoopOptions;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(options: FetchLoopOptions) {
    this.#options = options;
  }

  /** Runs until `stop` or an error. `onError` gets the error. */
  start(onError: (error: unknown) => Promise<void>): void {
    this.#isRunning = true;
    this.#running = this.#run().catch((error: unknown) => {
      this.#isRunning = false;
      void onError(error);
    });
  }

  /** Resolves once no more batches are passed on. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.wake();
    await this.#running;
  }

  /** Ends a pause early, because there may be something to read. */
  wake(): void {
    this.#wake();
  }

  async #run(): Promise<void> {
    const { member, active } = this.#options;
    while (this.#isRunning) {
      active();
      const fetched = await this.#fetchOrPause();
      for (const partition of fetched) if (this.#isRunning) this.#handle(partition);
      if (this.#isRunning) await member.heartbeat();
    }
  }

  async #fetchOrPause(): Promise<readonly FetchedPartition[]> {
    try {
      return await this.#fetch();
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      await this.#sleep(faultPauseMs);
      return [];
    }
  }

  async #fetch(): Promise<readonly FetchedPartition[]> {
    const { broker, connection, assigned, minBytes, maxWaitMs, recordsPerFetch } = this.#options;
    const active = assigned.active();
    if (active.length === 0) {
      await this.#sleep(maxWaitMs);
      return [];
    }
    await this.#findPositions(active.filter((target) => assigned.position(target) === undefined));
    const positions = active.map((target) => ({ ...target, from: assigned.position(target) ?? 0 }));
    const topics = [...new Set(active.map(({ topic }) => topic))];
    const fetched = await connection.request({ kind: 'fetch', topics }, () =>
      broker.fetch(positions, { minBytes, maxWaitMs, maxRecordsPerPartition: recordsPerFetch }),
    );
    // Partitions that were paused during the fetch are fetched again later.
    return fetched.filter((one) => !assigned.isPaused(one) && (one.found === undefined || one.found.next > one.from));
  }

  /** Starts at the group's committed offsets. A partition without a commit starts at the beginning of its log. */
  async #findPositions(targets: readonly TopicPartition[]): Promise<void> {
    if (targets.length === 0) return;
    const { broker, connection, groupId, assigned } = this.#options;
    const offsets = await connection.request({ kind: 'offsets' }, () =>
      targets.map(
        (target) => broker.group(groupId).committed(target.topic, target.partition)?.offset ?? broker.log(target).start,
      ),
    );
    for (const [index, target] of targets.entries()) assigned.seek(target, offsets[index] ?? 0);
  }

  #handle(fetched: FetchedPartition): void {
    const { assigned, hooks, broker } = this.#options;
    const { topic, partition, from, found } = fetched;
    if (found === undefined) {
      const to = broker.log(fetched).start;
      hooks.offsetReset({ topic, partition, from, to });
      return assigned.seek(fetched, to);
    }
    const resolved = hooks.takeBatch?.(toBatch(fetched, found));
    if (resolved !== undefined) assigned.seek(fetched, Number(resolved) + 1);
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer[Symbol.dispose]();
        this.#wake = () => undefined;
        resolve();
      };
      const timer = this.#options.connection.clock.after(ms, end);
      this.#wake = end;
    });
  }
}
