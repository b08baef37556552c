import { configuredTiers } from '../../../src/service/configured-topics.ts';
import type { Settings } from '../../../src/settings.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import type { MemoryBroker } from '../broker/memory-broker.ts';
import { idHeader } from '../environment/endpoints.ts';
import { topics } from '../scenario/scenario.ts';
import { partitions } from './situation.ts';

/** Parses the default settings, with the topics of the simulation and a header that shows the id of a delivery. */
export function isolationSettings(): Settings {
  return defaultSettings({
    KAFKA_BROKERS: 'memory:9092',
    CERTIFICATE_TOPICS: `${topics.completed}=certificate_completed`,
    WEBHOOK_CONFIGURATIONS: `kafka:${topics.configurations}`,
    RETRY_TOPIC_PREFIX: topics.tierPrefix,
    DEAD_LETTER_TOPIC: topics.deadLetters,
    DELIVERY_ID_HEADER: idHeader,
  });
}

export function createTopics(broker: MemoryBroker, settings: Settings): void {
  broker.createTopic(topics.configurations, 1);
  const others = [topics.completed, ...configuredTiers(settings).map(({ topic }) => topic), topics.deadLetters];
  for (const topic of others) broker.createTopic(topic, partitions);
}
