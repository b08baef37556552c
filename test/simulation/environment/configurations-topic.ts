import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { decodeMetadata } from '../../../src/kafka/consumer/commits/commit-metadata.ts';
import type { MemoryBroker } from '../broker/memory-broker.ts';
import type { History } from '../history.ts';
import { topics, type Action } from '../scenario/scenario.ts';

interface ConfigurationsTopicOptions {
  readonly broker: MemoryBroker;
  readonly history: History;
  readonly now: () => number;
  /** The group whose commits name the topic that was last complete. */
  readonly groupId: string;
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
 * The topic is deleted only when a commit names it: the service promises no more than that.
 */
export class ConfigurationsTopic {
  readonly #options: ConfigurationsTopicOptions;
  /** The newest value of each webhook. Null after its removal. */
  readonly #current = new Map<string, Buffer | null>();
  readonly #writtenAt = new Map<string, number>();
  #partitions = 1;
  #grownAt = Number.POSITIVE_INFINITY;
  #wasDeleted = false;
  #isAway = false;

  constructor(options: ConfigurationsTopicOptions) {
    this.#options = options;
    options.broker.createTopic(topics.configurations, this.#partitions);
  }

  write(webhookId: string, value: Buffer | null): void {
    this.#current.set(webhookId, value);
    if (!this.#isAway) this.#append(webhookId, value);
  }

  /** Adds a partition, unless the topic was deleted: what was confirmed would have to be confirmed again. */
  grow(): void {
    if (this.#wasDeleted) return;
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
    const { broker, history, now } = this.#options;
    if (!this.#isNamed()) return;
    this.#wasDeleted = true;
    this.#isAway = true;
    broker.deleteTopic(topics.configurations);
    // Nobody can know of a configuration that was deleted before it was read.
    for (const [webhookId, at] of this.#writtenAt) {
      if (now() - at < readAfterMs) history.add({ kind: 'dropped', webhookId });
    }
  }

  create(partitions: number, dropped: readonly string[]): void {
    if (!this.#isAway) return;
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
    if (this.#wasDeleted && value !== undefined) this.#append(webhookId, value);
  }

  /** Confirms the topic if it was created again. */
  accept(): void {
    if (!this.#wasDeleted) return;
    for (let partition = 0; partition < this.#partitions; partition += 1)
      this.#appendTo(partition, acceptanceKey, null);
  }

  #isNamed(): boolean {
    const { broker, groupId } = this.#options;
    const id = broker.topicId(topics.configurations);
    const named = broker
      .group(groupId)
      .commits()
      .map((commit) => decodeMetadata(commit.offset, commit.metadata));
    return named.some(({ configurations }) => configurations !== undefined && id.startsWith(configurations.topic));
  }

  #append(webhookId: string, value: Buffer | null): void {
    this.#writtenAt.set(webhookId, this.#options.now());
    const learned = this.#options.now() - this.#grownAt >= producersLearnAfterMs ? 1 : 0;
    this.#appendTo(Number(webhookId.slice(-1)) % (this.#partitions + learned), webhookId, value);
  }

  #appendTo(partition: number, key: string, value: Buffer | null): void {
    const record = { key: Buffer.from(key), value, headers: [] };
    this.#options.broker.append({ topic: topics.configurations, partition }, [record]);
  }
}
