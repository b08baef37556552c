import type { Consumer, Partitions } from '../client/consumer.ts';
import type { Admission } from './admission.ts';
import type { Assignment } from './assignment.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { pickTopics, type PauseControl } from './pause-control.ts';
import type { RecreatedTopics, TopicAnswer } from './recreated-topics.ts';

interface SubscribedTopicsOptions {
  readonly consumer: Pick<Consumer, 'seek'>;
  readonly pauseControl: PauseControl;
  readonly admission: Pick<Admission, 'restart'>;
  readonly recreatedTopics: RecreatedTopics;
  readonly events: Pick<KafkaEvents, 'topicRecreated'>;
}

/** Applies what the brokers say about the topics of an assignment: which to leave out, and which to read from the start. */
export class SubscribedTopics {
  readonly #options: SubscribedTopicsOptions;

  constructor(options: SubscribedTopicsOptions) {
    this.#options = options;
  }

  /** Takes the first answer for an assignment, and the partitions whose commits belong to an earlier topic. */
  begin(assignment: Assignment, answer: TopicAnswer, recreated: Partitions): void {
    this.#options.recreatedTopics.recordIds(answer.ids);
    this.#restart(recreated);
    this.#exclude(assignment, answer);
  }

  recheck(assignment: Assignment, answer: TopicAnswer): void {
    const recreated = this.#options.recreatedTopics.recordIds(answer.ids);
    for (const [topic, id] of recreated) assignment.topicRecreated(topic, id);
    this.#restart(pickTopics(assignment.assigned, [...recreated.keys()]));
    this.#exclude(assignment, answer);
  }

  /** Leaves out topics that are gone or denied. The brokers refuse commits of denied ones, too. */
  #exclude(assignment: Assignment, answer: TopicAnswer): void {
    assignment.exclude(answer);
    this.#options.pauseControl.exclude(answer, assignment.assigned);
  }

  /** Reads recreated topics from offset 0. Position and commit belong to the deleted topic. */
  #restart(recreated: Partitions): void {
    const { consumer, admission, events } = this.#options;
    for (const [topic, partitions] of Object.entries(recreated)) {
      if (partitions.length === 0) continue;
      events.topicRecreated({ topic, partitions });
      for (const partition of partitions) {
        consumer.seek({ topic, partition, offset: '0' });
        admission.restart(topic, partition, { from: Infinity, to: 0 });
      }
    }
  }
}
