import type { Consumer, ConsumerConfig, ConsumerRunConfig, ConsumerSubscribeTopics, EachBatchPayload } from 'kafkajs';
import { sleep } from '../../../src/lib/clock.ts';
import { hooksOf, type ConsumerHooks } from '../../../src/kafka/kafkajs/hooks.ts';
import type { MemoryBroker, TopicPlace } from './memory-broker.ts';
import { createAssignerFor, type AssignerOf } from './memory-assignor.ts';
import { BrokerError, isRejoinError } from './errors.ts';
import { FetchLoop } from './fetch-loop.ts';
import { GroupMember } from './group-member.ts';
import { Subscription } from './assigned-partitions.ts';
import type { Wire } from './broker-connection.ts';

/** The names that kafkajs gives them. */
const consumerEvents = {
  HEARTBEAT: 'consumer.heartbeat',
  COMMIT_OFFSETS: 'consumer.commit_offsets',
  GROUP_JOIN: 'consumer.group_join',
  FETCH_START: 'consumer.fetch_start',
  FETCH: 'consumer.fetch',
  START_BATCH_PROCESS: 'consumer.start_batch_process',
  END_BATCH_PROCESS: 'consumer.end_batch_process',
  CONNECT: 'consumer.connect',
  DISCONNECT: 'consumer.disconnect',
  STOP: 'consumer.stop',
  CRASH: 'consumer.crash',
  REBALANCING: 'consumer.rebalancing',
  RECEIVED_UNSUBSCRIBED_TOPICS: 'consumer.received_unsubscribed_topics',
  REQUEST: 'consumer.network.request',
  REQUEST_TIMEOUT: 'consumer.network.request_timeout',
  REQUEST_QUEUE_SIZE: 'consumer.network.request_queue_size',
} as const satisfies Consumer['events'];

type EventName = (typeof consumerEvents)[keyof typeof consumerEvents];
type Listener = (event: { readonly payload: unknown }) => void;

export interface MemoryConsumerParts {
  readonly broker: MemoryBroker;
  readonly wire: Wire;
  readonly config: ConsumerConfig;
}

const restartMs = 300;
/**
 * Idle fetches are most of what a simulation spends its time on, and nothing depends on how long one waits that ends with the
 * first record.
 */
const longerWait = 4;

/** A consumer of the memory broker, that behaves as one of the repaired kafkajs does. */
export class MemoryConsumer {
  readonly events = consumerEvents;
  readonly #parts: MemoryConsumerParts;
  readonly #assignerOf: AssignerOf;
  readonly #listeners = new Map<string, Listener[]>();
  #topics: readonly string[] = [];
  #life: Life | undefined;
  #eachBatch: (payload: EachBatchPayload) => Promise<void> = async () => undefined;
  #isStopping = false;

  constructor(parts: MemoryConsumerParts) {
    this.#parts = parts;
    this.#assignerOf = createAssignerFor(parts.broker, parts.config);
  }

  get groupId(): string {
    return this.#parts.config.groupId;
  }

  async connect(): Promise<void> {
    await this.#parts.wire.request({ kind: 'metadata' }, () => undefined);
    this.#emit('consumer.connect', {});
  }

  async subscribe({ topics }: ConsumerSubscribeTopics): Promise<void> {
    const { broker, wire } = this.#parts;
    this.#topics = topics.map(String);
    await wire.request({ kind: 'metadata' }, () => this.#topics.forEach((topic) => void broker.partitions(topic)));
  }

  /** Resolves once it has joined for the first time. */
  async run({ eachBatch }: ConsumerRunConfig): Promise<void> {
    this.#eachBatch = eachBatch ?? this.#eachBatch;
    await this.#live();
  }

  on(name: EventName, listener: Listener): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  pause(topics: readonly { readonly topic: string; readonly partitions?: readonly number[] }[]): void {
    const { subscription } = this.#running();
    for (const place of placesOf(topics)) subscription.pause(place);
  }

  resume(topics: readonly { readonly topic: string; readonly partitions?: readonly number[] }[]): void {
    const { subscription, loop } = this.#running();
    for (const place of placesOf(topics)) subscription.resume(place);
    loop.wake();
  }

  async disconnect(): Promise<void> {
    this.#isStopping = true;
    await this.#endLife();
  }

  /** It fails as kafkajs does: it leaves the group, then tells of it, and another life may begin. */
  crash(reason: Error, restart: boolean): void {
    if (this.#life !== undefined && !this.#isStopping) void this.#crash(reason, restart);
  }

  async #crash(reason: Error, restart: boolean): Promise<void> {
    const { clock } = this.#parts.wire;
    // A leave that fails is nobody's business: the group finds out by the session.
    await this.#endLife().catch(() => undefined);
    this.#emit('consumer.crash', { error: reason, restart, groupId: this.groupId });
    if (!restart) return;
    await sleep(clock, restartMs);
    if (!this.#isStopping) await this.#live();
  }

  async #live(): Promise<void> {
    const { broker, wire, config } = this.#parts;
    const { cluster, assigner } = this.#assignerOf;
    const hooks: ConsumerHooks | undefined = hooksOf(cluster);
    const member = new GroupMember({
      broker,
      wire,
      groupId: config.groupId,
      topics: this.#topics,
      assigner,
      hooks,
      sessionTimeoutMs: config.sessionTimeout ?? 30_000,
      rebalanceTimeoutMs: config.rebalanceTimeout ?? 60_000,
      heartbeatIntervalMs: config.heartbeatInterval ?? 3000,
      heartbeatTaken: (duration) => {
        this.#emit('consumer.network.request', { apiName: 'Heartbeat', duration });
        this.#emit('consumer.heartbeat', { groupId: config.groupId });
      },
    });
    const { minBytes = 1, maxWaitTimeInMs = 5000 } = config;
    const subscription = new Subscription();
    const loop = new FetchLoop({
      broker,
      wire,
      groupId: config.groupId,
      member,
      subscription,
      minBytes,
      maxWaitMs: minBytes === 1 ? longerWait * maxWaitTimeInMs : maxWaitTimeInMs,
      hooks,
      eachBatch: (payload) => this.#eachBatch(payload),
      emit: (name, payload) => this.#emit(name, payload),
    });
    const life = { member, subscription, loop };
    this.#life = life;
    await this.#begin(life);
  }

  /** A first join that fails is a crash, too. */
  async #begin(life: Life): Promise<void> {
    try {
      await this.#join(life);
      if (this.#life === life) life.loop.start((error) => this.#met(error));
    } catch (error) {
      this.#fail(life, error);
    }
  }

  async #join({ member, subscription }: Life): Promise<void> {
    const assigned = await member.join();
    subscription.assign(assigned);
    this.#emit('consumer.group_join', {
      groupId: this.#parts.config.groupId,
      memberId: member.id,
      memberAssignment: assigned,
    });
  }

  /** Something ended the reading: a rejoin, or else a crash. */
  async #met(error: unknown): Promise<void> {
    const life = this.#life;
    if (life === undefined || this.#isStopping) return;
    if (!isRejoinError(error)) return this.#fail(life, error);
    if (error.type === 'UNKNOWN_MEMBER_ID') life.member.forget();
    await this.#begin(life);
  }

  #fail(life: Life, error: unknown): void {
    const isGone = error instanceof BrokerError && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
    if (this.#life === life) this.crash(error instanceof Error ? error : new Error('unknown'), !isGone);
  }

  async #endLife(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    if (life === undefined) return;
    life.member.end();
    await life.loop.stop();
    await life.member.leave();
  }

  #running(): Life {
    if (this.#life === undefined) throw new Error('the consumer is not running');
    return this.#life;
  }

  #emit(name: EventName, payload: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) listener({ payload });
  }
}

/** From one start to the crash or the end. */
interface Life {
  readonly member: GroupMember;
  readonly subscription: Subscription;
  readonly loop: FetchLoop;
}

function placesOf(
  topics: readonly { readonly topic: string; readonly partitions?: readonly number[] }[],
): readonly TopicPlace[] {
  return topics.flatMap(({ topic, partitions = [] }) => partitions.map((partition) => ({ topic, partition })));
}
