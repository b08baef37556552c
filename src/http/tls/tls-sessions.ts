import { LruMap } from '../../lib/lru-map.ts';

interface StoredSession {
  readonly session: Buffer;
  readonly validUntil: number;
}

/**
 * The limit of all sessions in bytes. One has about 2 KB, so they are those of 80,000 endpoints. A cache of 10,000 forgot
 * sessions before their next use when one instance had tens of thousands of endpoints.
 */
const maxBytes = 200 * 1024 * 1024;

/** The bytes of an entry besides its session. */
const entryBytes = 500;

/** The largest session that is kept. A server chooses the size of its tickets, up to 64 KB each. */
const maxSessionBytes = 16 * 1024;

/**
 * TLS sessions by host and port. A resumed session costs about half of a full handshake.
 * The certificate is not verified again, so the key is the verified name, and a session ends with its certificate.
 */
export class TlsSessions {
  readonly #sessions = new LruMap<StoredSession>(maxBytes, ({ session }) => session.length + entryBytes);

  find(key: string, now: number): StoredSession | undefined {
    const stored = this.#sessions.get(key);
    return stored === undefined || stored.validUntil <= now ? undefined : stored;
  }

  store(key: string, stored: StoredSession): void {
    if (stored.session.length <= maxSessionBytes) this.#sessions.set(key, stored);
  }

  /** Removes a session after a failed connection, because the session may be the cause. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }
}
