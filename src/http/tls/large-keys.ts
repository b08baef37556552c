import { LruMap } from '../../lib/lru-map.ts';

/** The most endpoints that are remembered. Each takes about 0.1 KB. */
const maxEndpoints = 10_000;

/**
 * Knows which endpoints get no large key. With one of ML-KEM, the first message of a handshake has 1,583 bytes, more than a
 * packet. Some middleboxes reset such a connection (https://tldr.fail).
 */
export class LargeKeys {
  readonly #refusing = new LruMap<object>(maxEndpoints);

  isOffered(endpoint: string): boolean {
    return this.#refusing.get(endpoint) === undefined;
  }

  /** Notes a handshake that was reset before any answer. Returns true if a large key may have been the cause. */
  noteReset(endpoint: string): boolean {
    const wasOffered = this.isOffered(endpoint);
    // The key was not the cause if a handshake without it is reset, too.
    if (wasOffered) this.#refusing.set(endpoint, {});
    else this.#refusing.delete(endpoint);
    return wasOffered;
  }
}
