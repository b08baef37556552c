import type { Consumer, Partitions } from '../client/consumer.ts';
import type { KafkaEvents } from '../kafka-events.ts';

export interface UnreadableTopics {
  readonly gone: readonly string[];
  readonly denied: readonly string[];
}

/** Pauses and resumes the partitions of one consumer, and keeps those of deleted and of denied topics paused. */
export class PauseControl {
  readonly #consumer: Pick<Consumer, 'pause' | 'resume'>;
  readonly #events: Pick<KafkaEvents, 'topicGone' | 'topicDenied'>;
  #excluded: UnreadableTopics = { gone: [], denied: [] };

  constructor(consumer: Pick<Consumer, 'pause' | 'resume'>, events: Pick<KafkaEvents, 'topicGone' | 'topicDenied'>) {
    this.#consumer = consumer;
    this.#events = events;
  }

  pause(partitions: Partitions): void {
    this.#call('pause', Object.entries(partitions));
  }

  /** Resumes the partitions, except those of excluded topics. */
  resume(partitions: Partitions): void {
    const { gone, denied } = this.#excluded;
    const readable = Object.entries(partitions).filter(([topic]) => !gone.includes(topic) && !denied.includes(topic));
    this.#call('resume', readable);
  }

  /**
   * Replaces the lists of topics that can't be read, and pauses their partitions. Topics that are back are resumed. They
   * stay paused until then, so that the caller can first find out whether they were recreated.
   */
  exclude(excluded: UnreadableTopics, assigned: Partitions): void {
    const before = this.#excluded;
    this.#excluded = excluded;
    const unreadable = [...excluded.gone, ...excluded.denied];
    this.pause(pickTopics(assigned, unreadable));
    for (const topic of excluded.gone)
      if (!before.gone.includes(topic)) this.#events.topicGone({ topic, partitions: assigned[topic] ?? [] });
    for (const topic of excluded.denied)
      if (!before.denied.includes(topic)) this.#events.topicDenied({ topic, partitions: assigned[topic] ?? [] });
    const back = [...before.gone, ...before.denied].filter((topic) => !unreadable.includes(topic));
    this.resume(pickTopics(assigned, back));
  }

  #call(
    method: 'pause' | 'resume',
    partitions: readonly (readonly [topic: string, numbers: readonly number[]])[],
  ): void {
    try {
      this.#consumer[method](partitions.map(([topic, numbers]) => ({ topic, partitions: [...numbers] })));
    } catch {
      // There is no group, for example after a crash. The next join resumes all partitions.
    }
  }
}

export function pickTopics(partitions: Partitions, topics: readonly string[]): Partitions {
  return Object.fromEntries(topics.map((topic) => [topic, partitions[topic] ?? []]));
}
