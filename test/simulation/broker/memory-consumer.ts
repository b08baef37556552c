import type { Assigner, Cluster } from 'kafkajs';
import type { Consumer, ConsumerOptions, OffsetCommit } from '../../../src/kafka/client/consumer.ts';
import { sleep } from '../../../src/lib/clock.ts';
import { createPartitionAssigner } from '../../../src/kafka/kafkajs/create-consumer.ts';
import type { RepairHooks } from '../../../src/kafka/kafkajs/group-state.ts';
import type { MemoryBroker, TopicPartition } from './memory-broker.ts';
import { BrokerError, isRejoinError } from './errors.ts';
import { FetchLoop } from './fetch-loop.ts';
import { GroupMember } from './group-member.ts';
import { AssignedPartitions } from './assigned-partitions.ts';
import type { BrokerConnection } from './broker-connection.ts';

interface MemoryConsumerOptions {
  readonly broker: MemoryBroker;
  readonly connection: BrokerConnection;
  readonly config: ConsumerOptions;
  readonly fetching?: Fetching | undefined;
}

/** The ways in which fetches may differ from those of Kafka. */
export interface Fetching {
  /** The most records of one partition that a fetch returns. */
  readonly recordsPerPartition: number;
  /** The factor by which a fetch that finds nothing waits longer than configured. */
  readonly idleFactor: number;
}

/**
 * For runs with random faults. Batches are small, so that one partition often needs several fetches. Idle fetches take
 * most of a simulation's time, and a fetch for one byte ends with the first record anyway.
 */
const fewAndSlow: Fetching = { recordsPerPartition: 8, idleFactor: 4 };

const restartMs = 300;

/**
 * A consumer of the memory broker that behaves as a consumer of the repaired kafkajs does.
 *
 * Owns at most one runner: a group member, its assigned partitions and a fetch loop. Each start creates a new one.
 *
 * | State    | Entered by                                     | Left by                                        |
 * | -------- | ---------------------------------------------- | ---------------------------------------------- |
 * | idle     | creation                                       | `run`                                          |
 * | joining  | `run`, a restart, an error that asks to rejoin | the assignment, or an error after all retries  |
 * | fetching | the assignment                                 | an error of a heartbeat, a fetch or a batch    |
 * | crashed  | an error that no rejoin solves, `crash`        | a restart after 300 ms, if the error allows it |
 * | stopped  | `disconnect`                                   | never                                          |
 *
 * A crash leaves the group before it is told, as in kafkajs. Paused partitions stay paused across
 * rejoins and are reset by a restart. Without the comparison with `#runner`, a join that ends after a crash would start
 * a second fetch loop.
 */
export class MemoryConsumer implements Consumer {
  readonly #options: MemoryConsumerOptions;
  readonly #assignor: Assigner;
  readonly #hooks: RepairHooks;
  #topics: readonly string[] = [];
  #runner: Runner | undefined;
  #isStopping = false;

  constructor(options: MemoryConsumerOptions) {
    this.#options = options;
    this.#hooks = { ...options.config.hooks };
    this.#assignor = createAssignor(options);
  }

  get groupId(): string {
    return this.#options.config.groupId;
  }

  async connect(): Promise<void> {
    await this.#options.connection.request({ kind: 'metadata' }, () => undefined);
    this.#options.config.events.active();
  }

  async subscribe({ topics }: { readonly topics: readonly string[] }): Promise<void> {
    const { broker, connection } = this.#options;
    this.#topics = topics;
    await connection.request({ kind: 'metadata' }, () =>
      this.#topics.forEach((topic) => void broker.partitions(topic)),
    );
  }

  /** Resolves after the first join. */
  async run(): Promise<void> {
    await this.#startRunner();
  }

  async commit(offsets: OffsetCommit): Promise<void> {
    await this.#hooks.commit?.(offsets);
  }

  async topicStates(): Promise<undefined> {
    return undefined;
  }

  /** Unused, because no topic gets another id. */
  seek(): never {
    throw new Error('the memory broker has no recreated topics');
  }

  pause(topics: readonly { readonly topic: string; readonly partitions?: readonly number[] }[]): void {
    const { assigned } = this.#currentRunner();
    for (const target of topicPartitionsIn(topics)) assigned.pause(target);
  }

  resume(topics: readonly { readonly topic: string; readonly partitions?: readonly number[] }[]): void {
    const { assigned, loop } = this.#currentRunner();
    for (const target of topicPartitionsIn(topics)) assigned.resume(target);
    loop.wake();
  }

  async disconnect(): Promise<void> {
    this.#isStopping = true;
    await this.#stopRunner();
  }

  /** Fails as kafkajs does: leaves the group, emits the event, and then restarts if allowed. */
  crash(reason: Error, restart: boolean): void {
    if (this.#runner !== undefined && !this.#isStopping) void this.#crash(reason, restart);
  }

  async #crash(reason: Error, restart: boolean): Promise<void> {
    const { clock } = this.#options.connection;
    // A failed leave is harmless: the group drops the member when its session ends.
    await this.#stopRunner().catch(() => undefined);
    this.#options.config.events.active();
    this.#options.config.events.crashed({ error: reason, restart });
    if (!restart) return;
    await sleep(clock, restartMs);
    if (!this.#isStopping) await this.#startRunner();
  }

  async #startRunner(): Promise<void> {
    const { broker, connection, config, fetching = fewAndSlow } = this.#options;
    const assignor = this.#assignor;
    const hooks = this.#hooks;
    const { events } = config;
    const member = new GroupMember({
      broker,
      connection,
      groupId: config.groupId,
      topics: this.#topics,
      assignor,
      hooks,
      sessionTimeoutMs: config.sessionTimeout ?? 30_000,
      rebalanceTimeoutMs: config.rebalanceTimeout ?? 60_000,
      heartbeatIntervalMs: config.heartbeatInterval ?? 3000,
      onHeartbeat: (duration) => {
        events.heartbeatAnswered(duration);
        events.active();
        events.heartbeatAccepted();
      },
    });
    const { minBytes = 1, maxWaitTimeInMs } = config;
    const assigned = new AssignedPartitions();
    const loop = new FetchLoop({
      broker,
      connection,
      groupId: config.groupId,
      member,
      assigned,
      minBytes,
      maxWaitMs: minBytes === 1 ? fetching.idleFactor * maxWaitTimeInMs : maxWaitTimeInMs,
      recordsPerFetch: fetching.recordsPerPartition,
      hooks,
      active: () => events.active(),
    });
    const runner = { member, assigned, loop };
    this.#runner = runner;
    await this.#joinAndFetch(runner);
  }

  /** A failed join is a crash. */
  async #joinAndFetch(runner: Runner): Promise<void> {
    try {
      await this.#join(runner);
      if (this.#runner === runner) runner.loop.start((error) => this.#onFetchError(error));
    } catch (error) {
      this.#crashFrom(runner, error);
    }
  }

  async #join({ member, assigned }: Runner): Promise<void> {
    const assignment = await member.join();
    assigned.assign(assignment);
    const { events } = this.#options.config;
    events.active();
    events.joined({ memberId: member.id, memberAssignment: assignment });
  }

  /** Rejoins if that solves the error, and crashes otherwise. */
  async #onFetchError(error: unknown): Promise<void> {
    const runner = this.#runner;
    if (runner === undefined || this.#isStopping) return;
    if (!isRejoinError(error)) return this.#crashFrom(runner, error);
    if (error.type === 'UNKNOWN_MEMBER_ID') runner.member.forget();
    if (!runner.member.isLeaving) return this.#joinAndFetch(runner);
    await runner.member.stay(error);
    if (this.#runner === runner) runner.loop.start((next) => this.#onFetchError(next));
  }

  #crashFrom(runner: Runner, error: unknown): void {
    const isGone = error instanceof BrokerError && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
    if (this.#runner === runner) this.crash(error instanceof Error ? error : new Error('unknown'), !isGone);
  }

  async #stopRunner(): Promise<void> {
    const runner = this.#runner;
    this.#runner = undefined;
    if (runner === undefined) return;
    runner.member.end();
    await runner.loop.stop();
    await runner.member.leave();
  }

  #currentRunner(): Runner {
    if (this.#runner === undefined) throw new Error('the consumer is not running');
    return this.#runner;
  }
}

/** Exists from one start to the next crash or the end. */
interface Runner {
  readonly member: GroupMember;
  readonly assigned: AssignedPartitions;
  readonly loop: FetchLoop;
}

function topicPartitionsIn(
  topics: readonly { readonly topic: string; readonly partitions?: readonly number[] }[],
): readonly TopicPartition[] {
  return topics.flatMap(({ topic, partitions = [] }) => partitions.map((partition) => ({ topic, partition })));
}

/** Creates the assignor of the configuration. Its cluster has the two methods that assignors call. */
function createAssignor({ broker, config: { assignor, groupId } }: MemoryConsumerOptions): Assigner {
  const cluster = {
    addTargetTopic: async (topic) => void broker.partitions(topic),
    findTopicPartitionMetadata: (topic) =>
      broker.partitions(topic).map(({ partition }) => ({
        partitionId: partition,
        leader: 0,
        partitionErrorCode: 0,
        replicas: [0],
        isr: [0],
      })),
  } satisfies Partial<Cluster> as Pick<Cluster, 'addTargetTopic' | 'findTopicPartitionMetadata'> as Cluster;
  const logger = undefined as never;
  return createPartitionAssigner(assignor)({ cluster, groupId, logger });
}
