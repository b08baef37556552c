import { acceptanceKey } from '../../../src/kafka/reader/acceptance.ts';
import { decodeMemory } from '../../../src/kafka/reader/topic-memory.ts';
import type { MemoryBroker } from '../broker/memory-broker.ts';
import type { History } from '../history.ts';
import { topics, type Action } from '../scenario/scenario.ts';

interface ConfigurationsTopicOptions {
  readonly broker: MemoryBroker;
  readonly history: History;
  readonly now: () => number;
  /** The group whose commit tells how many configurations there were. */
  readonly memoryGroup: string;
}

/** Time in ms after which the platform writes to a new partition. */
const producersLearnAfterMs = 5;
/** Time in ms after which every process has read a record, also when some of its requests fail. */
const readAfterMs = 6_000;

/**
 * The configurations topic, and the platform that writes to it. Owns the platform's own record of all webhooks.
 *
 * While the topic is away, writes wait in the platform. They reach the topic with the refill. A key goes to the partition
 * that its number chooses, so it moves when the platform learns of a new partition.
 *
 * The topic is deleted only when a commit tells how many webhooks it holds: the service promises no more than that.
 */
export class ConfigurationsTopic {
  readonly #options: ConfigurationsTopicOptions;
  /** The newest value of each webhook. Null after its removal. */
  readonly #current = new Map<string, Buffer | null>();
  readonly #writtenAt = new Map<string, number>();
  #partitions = 1;
  #grownAt = Number.POSITIVE_INFINITY;
  /** The number of webhooks in the topic when it was deleted. */
  #deleted: number | undefined;
  #isAway = false;
  /** True from the deletion until the refill is over. */
  #isFilling = false;
  /** Webhooks that the platform takes once the refill is over. A process that starts before that can't tell them apart. */
  readonly #subscribers = new Map<string, Buffer | null>();

  constructor(options: ConfigurationsTopicOptions) {
    this.#options = options;
    options.broker.createTopic(topics.configurations, this.#partitions);
  }

  write(webhookId: string, value: Buffer | null): void {
    const isNew = !this.#current.has(webhookId);
    if (this.#isFilling && isNew) {
      this.#subscribers.set(webhookId, value);
      return;
    }
    this.#current.set(webhookId, value);
    if (!this.#isAway) this.#append(webhookId, value);
  }

  /** Adds a partition, unless the topic was deleted: what was confirmed would have to be confirmed again. */
  grow(): void {
    if (this.#deleted !== undefined) return;
    this.#options.broker.addPartition(topics.configurations);
    this.#grownAt = this.#options.now();
  }

  /**
   * Opens a transaction in a partition, or lets its broker answer without records. `end` ends both in all partitions, because a
   * new one may have changed which of them `which` chooses.
   */
  disturb(which: number, how: Extract<Action, { kind: 'disturb_configurations' }>['how']): void {
    if (this.#isAway) return;
    const { broker } = this.#options;
    const partitions = broker.partitions(topics.configurations);
    for (const partition of how === 'end' ? partitions.keys() : [which % partitions.length]) {
      broker.disturb({ topic: topics.configurations, partition }, (log) => {
        if (how === 'open_transaction') log.openTransaction();
        if (how === 'end') log.abortTransaction();
        log.isWithheld = how === 'withhold';
      });
    }
  }

  delete(): void {
    const { broker, history, memoryGroup, now } = this.#options;
    const remembered = decodeMemory(broker.commitsWithoutMember.get(memoryGroup) ?? '');
    if (remembered?.id !== broker.topicId(topics.configurations) || remembered.keys !== this.#live()) return;
    this.#deleted = this.#live();
    this.#isAway = true;
    this.#isFilling = true;
    broker.deleteTopic(topics.configurations);
    // Nobody can know of a configuration that was deleted before it was read.
    for (const [webhookId, at] of this.#writtenAt) {
      if (now() - at < readAfterMs) history.add({ kind: 'dropped', webhookId });
    }
  }

  create(partitions: number, dropped: readonly string[]): void {
    if (this.#deleted === undefined) return;
    this.#options.broker.createTopic(topics.configurations, partitions);
    this.#partitions = partitions;
    this.#grownAt = Number.POSITIVE_INFINITY;
    this.#isAway = false;
    for (const webhookId of dropped) {
      if (!this.#current.delete(webhookId)) continue;
      this.#options.history.add({ kind: 'dropped', webhookId });
    }
  }

  refill(webhookId: string): void {
    const value = this.#current.get(webhookId);
    if (this.#deleted !== undefined && value !== undefined) this.#append(webhookId, value);
  }

  /** Ends the refill. Confirms the topic if it does not count as filled otherwise, or might not after some more removals. */
  accept(): void {
    if (this.#deleted === undefined) return;
    this.#isFilling = false;
    if (this.#live() < 0.75 * this.#deleted) {
      for (let partition = 0; partition < this.#partitions; partition += 1)
        this.#appendTo(partition, acceptanceKey, null);
    }
    for (const [webhookId, value] of this.#subscribers) this.write(webhookId, value);
    this.#subscribers.clear();
  }

  #live(): number {
    return [...this.#current.values()].filter((value) => value !== null).length;
  }

  #append(webhookId: string, value: Buffer | null): void {
    this.#writtenAt.set(webhookId, this.#options.now());
    const learned = this.#options.now() - this.#grownAt >= producersLearnAfterMs ? 1 : 0;
    this.#appendTo(Number(webhookId.slice(-1)) % (this.#partitions + learned), webhookId, value);
  }

  #appendTo(partition: number, key: string, value: Buffer | null): void {
    const record = { key: Buffer.from(key), value, headers: {} };
    this.#options.broker.append({ topic: topics.configurations, partition }, [record]);
  }
}
