import type { Consumer } from 'kafkajs';
import type { KafkaEvents } from '../kafka-events.ts';

/** Partitions by topic. */
export type Partitions = Readonly<Record<string, readonly number[]>>;

/** Pauses and resumes the partitions of one consumer, and keeps those of deleted topics paused. */
export class PauseControl {
  readonly #consumer: Pick<Consumer, 'pause' | 'resume'>;
  readonly #emitGone: KafkaEvents['topicGone'];
  /** Topics that do not exist at present. */
  #gone: readonly string[] = [];

  constructor(consumer: Pick<Consumer, 'pause' | 'resume'>, emitGone: KafkaEvents['topicGone']) {
    this.#consumer = consumer;
    this.#emitGone = emitGone;
  }

  pause(partitions: Partitions): void {
    this.#call('pause', Object.entries(partitions));
  }

  /** Resumes the partitions, except those of topics that are gone. */
  resume(partitions: Partitions): void {
    const existing = Object.entries(partitions).filter(([topic]) => !this.#gone.includes(topic));
    this.#call('resume', existing);
  }

  /**
   * Replaces the list of topics that are gone, and pauses their partitions. Topics that are back are resumed. They stay
   * paused until then, so that the caller can first find out whether they were recreated.
   */
  exclude(gone: readonly string[], assigned: Partitions): void {
    const back = this.#gone.filter((topic) => !gone.includes(topic));
    const lost = gone.filter((topic) => !this.#gone.includes(topic));
    this.#gone = gone;
    this.pause(pickTopics(assigned, gone));
    for (const topic of lost) this.#emitGone({ topic, partitions: assigned[topic] ?? [] });
    this.resume(pickTopics(assigned, back));
  }

  #call(
    method: 'pause' | 'resume',
    partitions: readonly (readonly [topic: string, numbers: readonly number[]])[],
  ): void {
    try {
      this.#consumer[method](partitions.map(([topic, numbers]) => ({ topic, partitions: [...numbers] })));
    } catch {
      // kafkajs throws while it has no group, for example after a crash. The next join resumes all partitions.
    }
  }
}

export function pickTopics(partitions: Partitions, topics: readonly string[]): Partitions {
  return Object.fromEntries(topics.map((topic) => [topic, partitions[topic] ?? []]));
}
