import type { Consumer } from 'kafkajs';
import type { KafkaEvents } from '../kafka-events.ts';

/** Topics with their partitions. */
export type Partitions = Readonly<Record<string, readonly number[]>>;

/** Turns the reading of partitions off, and on again. */
export class PauseControl {
  readonly #consumer: Pick<Consumer, 'pause' | 'resume'>;
  readonly #emitGone: KafkaEvents['topicGone'];
  #gone: readonly string[] = [];

  constructor(consumer: Pick<Consumer, 'pause' | 'resume'>, tellGone: KafkaEvents['topicGone']) {
    this.#consumer = consumer;
    this.#emitGone = tellGone;
  }

  /** Partitions of topics that are gone stay off. */
  turn(to: 'pause' | 'resume', which: Partitions): void {
    const partitions = Object.entries(which)
      .filter(([topic]) => to === 'pause' || !this.#gone.includes(topic))
      .map(([topic, numbers]) => ({ topic, partitions: [...numbers] }));
    try {
      this.#consumer[to](partitions);
    } catch {
      // It is between two lives: after the next join all partitions are read.
    }
  }

  /** Says which of the topics are gone. One that comes back is read on only then, when it is known whether it is another. */
  exclude(gone: readonly string[], assigned: Partitions): void {
    const back = this.#gone.filter((topic) => !gone.includes(topic));
    const lost = gone.filter((topic) => !this.#gone.includes(topic));
    this.#gone = gone;
    this.turn('pause', pickTopics(assigned, gone));
    for (const topic of lost) this.#emitGone({ topic, partitions: assigned[topic] ?? [] });
    this.turn('resume', pickTopics(assigned, back));
  }
}

export function pickTopics(partitions: Partitions, topics: readonly string[]): Partitions {
  return Object.fromEntries(topics.map((topic) => [topic, partitions[topic] ?? []]));
}
