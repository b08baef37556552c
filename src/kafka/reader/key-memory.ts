import type { MonotonicClock } from '../../lib/clock.ts';
import type { KafkaEvents } from '../kafka-events.ts';
import { kafkaErrorType } from '../kafkajs/error-type.ts';
import type { RememberedTopic, TopicMemory } from './topic-memory.ts';

interface KeyMemoryOptions {
  readonly topic: string;
  /** Undefined if nothing is remembered beyond the life of the process. */
  readonly memory?: TopicMemory | undefined;
  readonly events: Pick<KafkaEvents, 'kafkaUnreachable'>;
  readonly clock: MonotonicClock;
}

/** Shortest time in ms between two writes. What changes in it may be unknown to a process that starts. */
const writeEveryMs = 5_000;
/** Time in ms after which the memory is written although nothing has changed. Kafka keeps it for a week. */
const renewEveryMs = 3_600_000;

/**
 * Remembers how many keys a topic had, so that a process that starts also notices that the topic was created again. Owns the
 * write in flight, of which there is one at a time. Writes happen in the background, and a failed one holds up nothing.
 */
export class KeyMemory implements AsyncDisposable {
  readonly #options: KeyMemoryOptions;
  #written: RememberedTopic | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor(options: KeyMemoryOptions) {
    this.#options = options;
  }

  /** Returns the keys that an earlier process knew, if the topic was created again since. Rejects if Kafka can't be asked. */
  async expectedKeys(id: string | undefined): Promise<number> {
    const { topic, memory } = this.#options;
    if (memory === undefined || id === undefined) return 0;
    try {
      const remembered = await memory.read();
      return remembered?.topic === topic && remembered.id !== id ? remembered.keys : 0;
    } catch (error) {
      if (!isLasting(error)) throw error;
      this.#failed(error);
      return 0;
    }
  }

  /** Takes the state of the topic, and writes it if that is due. Called after each look at the topic. */
  note(id: string | undefined, keys: number): void {
    const { memory, clock, topic } = this.#options;
    if (memory === undefined || id === undefined || this.#writing !== undefined) return;
    const isChanged = id !== this.#written?.id || keys !== this.#written.keys;
    const isDue = clock.monotonic() - this.#triedAt >= (isChanged ? writeEveryMs : renewEveryMs);
    if (!isDue) return;
    this.#triedAt = clock.monotonic();
    this.#writing = this.#write(memory, { topic, id, keys });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  async #write(memory: TopicMemory, current: RememberedTopic): Promise<void> {
    try {
      await memory.write(current);
      this.#written = current;
    } catch (error) {
      this.#failed(error);
    }
    this.#writing = undefined;
  }

  #failed(error: unknown): void {
    const doing = `remembering how many configurations ${this.#options.topic} holds`;
    this.#options.events.kafkaUnreachable({ doing, error, retryInMs: writeEveryMs });
  }
}

/** Returns true without the right to the group, or without the topic of its commit. The first read then counts as it stands. */
export function isLasting(error: unknown): boolean {
  const type = kafkaErrorType(error);
  return type === 'UNKNOWN_TOPIC_OR_PARTITION' || type?.endsWith('_AUTHORIZATION_FAILED') === true;
}
