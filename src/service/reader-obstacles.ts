import type { SupervisedConsumer } from '../kafka/consumer/supervised-consumer.ts';
import type { KafkaEvents } from '../kafka/kafka-events.ts';
import { kafkaErrorType } from '../kafka/client/faults.ts';
import { failureText } from '../telemetry/events/failure-text.ts';
import { deniedRemedy, kafkaRemedy } from '../telemetry/events/kafka-remedy.ts';

interface ReaderObstaclesOptions {
  readonly groupId: string;
  readonly requiredTopics: readonly string[];
}

/** Knows what keeps a reader from reading because Kafka refuses it, and says what to change. */
export class ReaderObstacles {
  readonly #options: ReaderObstaclesOptions;
  /** The answer of a broker that stopped the consumer, until the next join. */
  #refusal: unknown;

  constructor(options: ReaderObstaclesOptions) {
    this.#options = options;
  }

  joined(): void {
    this.#refusal = undefined;
  }

  /** Takes a crash. An outage is no refusal: the reader continues by itself, and nothing is to be changed. */
  crashed({ error, restarting }: Parameters<KafkaEvents['consumerCrashed']>[0]): void {
    if (!restarting && kafkaErrorType(error) !== undefined) this.#refusal = error;
  }

  /** Returns a sentence for each obstacle. Empty while everything is read. */
  describe({ assignment, topics }: Pick<SupervisedConsumer, 'assignment' | 'topics'>): readonly string[] {
    const { groupId, requiredTopics } = this.#options;
    const refusal = this.#refusal;
    const unfound = topics === undefined ? [] : requiredTopics.filter((topic) => !topics.includes(topic));
    return [
      ...(refusal === undefined ? [] : [`the group ${groupId}: ${kafkaRemedy(refusal) ?? failureText(refusal)}`]),
      ...(assignment?.denied ?? []).map((topic) => `reading ${topic}: ${deniedRemedy}`),
      ...unfound.map((topic) => `reading ${topic}: it does not exist, or Describe on it is denied`),
    ];
  }
}
