import type { WebhookTopicOptions } from '../../../src/kafka/reader/webhook-topic.ts';

/** What a topic's reader told, in order, and a wait for what is still to be told. */
export class TopicEvents implements Readonly<WebhookTopicOptions['events']> {
  readonly #emitted: string[] = [];
  readonly #waiting = new Map<string, () => void>();

  kafkaUnreachable(): void {
    this.#emit('unreachable');
  }

  topicsMissing(topics: readonly string[]): void {
    this.#emit(`missing: ${topics.join()}`);
  }

  /** Resolves once this has been told; the next wait is for what comes after it. */
  async next(what: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#take(what)) return;
    this.#waiting.set(what, resolve);
    await promise;
    this.#take(what);
  }

  #emit(what: string): void {
    this.#emitted.push(what);
    this.#waiting.get(what)?.();
    this.#waiting.delete(what);
  }

  #take(what: string): boolean {
    const at = this.#emitted.indexOf(what);
    if (at === -1) return false;
    this.#emitted.splice(0, at + 1);
    return true;
  }
}
