import type { MonotonicClock } from '../../lib/clock.ts';
import type { LogMark } from '../consumer/commits/commit-metadata.ts';
import { readCommitted } from '../consumer/commits/group-commits.ts';
import type { Kafka } from '../client/kafka.ts';
import { isLasting } from './silence.ts';

/** Returns true if an earlier process knew another topic as complete. */
export type IsReplaced = (topic: LogMark) => Promise<boolean>;

interface CommitsOptions {
  readonly kafka: Pick<Kafka, 'admin'>;
  readonly groupId: string;
  /** The topics that the group reads. Kafka drops the commits in a topic that is deleted. */
  readonly topics: readonly string[];
}

/** Creates the question to the group's commits. Nothing is known without the right to ask, or without the group's topics. */
export function askCommits({ kafka, groupId, topics }: CommitsOptions): IsReplaced {
  return async (topic) => {
    try {
      return (await readCommitted(kafka, groupId, topics)).nameOtherConfigurations(topic);
    } catch (error) {
      if (!isLasting(error)) throw error;
      return false;
    }
  };
}

/** Time in ms between two questions while a start waits, because a person may be awaited for hours. */
const askAgainMs = 5_000;

/** Knows whether the topic of a process that starts is another one than the last complete one. */
export class ReplacementCheck {
  readonly #ask: IsReplaced | undefined;
  readonly #clock: MonotonicClock;
  #isReplaced = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(ask: IsReplaced | undefined, clock: MonotonicClock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Asks about this topic, less often while the start waits for the answer. Rejects if Kafka can't be asked. */
  async ask(topic: LogMark | undefined, isWaiting: boolean): Promise<void> {
    const now = this.#clock.monotonic();
    if (topic === undefined || (isWaiting && now - this.#askedAt < askAgainMs)) return;
    this.#askedAt = now;
    this.#isReplaced = (await this.#ask?.(topic)) ?? false;
  }
}
