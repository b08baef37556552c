import type { Broker } from '../internals.ts';
import { fetchTopicStates } from '../topic-states.ts';

/**
 * Asks for the brokers alone where kafkajs wants no topic. It takes that for all topics of the cluster: each new admin client
 * asks for them, to find the coordinator. With 100,000 partitions, that is a turn of the event loop of 0.3 to 0.5 s.
 */
export function askForWantedTopics(broker: Pick<Broker, 'metadata'>): void {
  const { metadata } = broker;
  Object.assign(broker, {
    async metadata(this: Broker, topics: string[] = []) {
      const states = topics.length === 0 ? await fetchTopicStates(this, []) : undefined;
      return states === undefined ? metadata.call(this, topics) : { ...states, topicMetadata: [] };
    },
  });
}
