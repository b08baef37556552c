import { LruMap } from '../../lib/lru-map.ts';

interface StoredSession {
  readonly session: Buffer;
  readonly validUntil: number;
}

/**
 * The limit of sessions. Each takes about 2 KB, so all of them 200 MB. A cache of 10,000 forgot sessions before their
 * next use when one instance had tens of thousands of endpoints.
 */
const maxSessions = 100_000;

/**
 * TLS sessions by host and port. A resumed session costs about half of a full handshake.
 * The certificate is not verified again, so the key is the verified name, and a session ends with its certificate.
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

  /** Removes a session after a failed connection, because the session may be the cause. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }
}
