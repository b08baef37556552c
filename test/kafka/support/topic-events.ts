import type { WebhookTopicOptions } from '../../../src/kafka/reader/webhook-topic.ts';

type Refill = Parameters<WebhookTopicOptions['events']['configurationsHeld']>[0];

/** Collects the events of a topic's reader in order, and waits for later ones. */
export class TopicEvents implements Readonly<WebhookTopicOptions['events']> {
  readonly #emitted: string[] = [];
  readonly #waiting = new Map<string, () => void>();

  kafkaUnreachable(): void {
    this.#emit('unreachable');
  }

  topicsMissing(topics: readonly string[]): void {
    this.#emit(`missing: ${topics.join()}`);
  }

  configurationsHeld({ found, expected }: Refill): void {
    this.#emit(`held: ${found} of ${expected}`);
  }

  configurationsReplaced({ found, expected }: Refill): void {
    this.#emit(`replaced: ${found} of ${expected}`);
  }

  configurationsDuplicated({ ids }: { readonly ids: readonly string[] }): void {
    this.#emit(`duplicated: ${ids.join()}`);
  }

  /** Resolves once this event was emitted. The next call looks only at events after it. */
  async next(event: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#take(event)) return;
    this.#waiting.set(event, resolve);
    await promise;
    this.#take(event);
  }

  #emit(event: string): void {
    this.#emitted.push(event);
    this.#waiting.get(event)?.();
    this.#waiting.delete(event);
  }

  #take(event: string): boolean {
    const at = this.#emitted.indexOf(event);
    if (at === -1) return false;
    this.#emitted.splice(0, at + 1);
    return true;
  }
}
