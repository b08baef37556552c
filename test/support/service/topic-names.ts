import type { Environment } from '../../../src/settings.ts';

/** The topics and groups of one service. */
export interface TopicNames {
  /** The beginning of all names. It is unique, because services share clusters. */
  readonly prefix: string;
  readonly completed: string;
  readonly expired: string;
  readonly configurations: string;
  readonly deadLetters: string;
  readonly results: string;
  readonly delays: readonly string[];
  readonly tierPrefix: string;
  readonly tiers: readonly string[];
  readonly group: string;
  readonly retryGroup: string;
}

export function topicNames(prefix: string, delays: readonly string[]): TopicNames {
  const tierPrefix = `${prefix}.retry`;
  return {
    prefix,
    completed: `${prefix}.completed`,
    expired: `${prefix}.expired`,
    configurations: `${prefix}.configurations`,
    deadLetters: `${prefix}.dead-letter`,
    results: `${prefix}.results`,
    delays,
    tierPrefix,
    tiers: delays.map((delay) => `${tierPrefix}.${delay}`),
    group: `${prefix}.group`,
    retryGroup: `${prefix}.group.retry`,
  };
}

/** Returns the settings of a service with these topics, without results, whose endpoints are on this machine. */
export function environmentOf(names: TopicNames, brokers: readonly string[]): Environment {
  return {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: names.group,
    CERTIFICATE_TOPICS: `${names.completed}=certificate_completed,${names.expired}=certificate_expired`,
    WEBHOOK_CONFIGURATIONS: `kafka:${names.configurations}`,
    RETRY_TOPIC_PREFIX: names.tierPrefix,
    RETRY_DELAYS: names.delays.join(','),
    DEAD_LETTER_TOPIC: names.deadLetters,
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    HTTP_HOST: '127.0.0.1',
  };
}
