import { LruMap } from '../../lib/lru-map.ts';

interface StoredSession {
  readonly session: Buffer;
  readonly validUntil: number;
}

/** About 2 KB each: 200 MB, where one instance sends to as many endpoints. */
const maxSessions = 100_000;

/**
 * TLS sessions by host and port, so that a new connection to a known endpoint costs half. Keyed by the name that was
 * checked: the certificate of a resumed session is not looked at again, hence also the end of its validity.
 */
export class TlsSessions {
  readonly #sessions = new LruMap<StoredSession>(maxSessions);

  find(key: string, now: number): StoredSession | undefined {
    const stored = this.#sessions.get(key);
    return stored === undefined || stored.validUntil <= now ? undefined : stored;
  }

  store(key: string, stored: StoredSession): void {
    this.#sessions.set(key, stored);
  }

  /** A session that a connection failed with may be why. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }
}
