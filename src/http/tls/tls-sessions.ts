import { LruMap } from '../../lib/lru-map.ts';

interface StoredSession {
  readonly session: Buffer;
  readonly validUntil: number;
}

/**
 * The limit of all sessions in bytes. One has 0.5 to 2 KB, so they are those of 90,000 endpoints at least. A cache of 10,000
 * forgot sessions before their next use when one instance had tens of thousands of endpoints.
 */
const maxBytes = 200 * 1024 * 1024;

/** The bytes of an entry besides its session. */
const entryBytes = 200;

/** The largest session that is kept. A server chooses the size of its tickets, up to 64 KB each. */
const maxSessionBytes = 16 * 1024;

/**
 * TLS sessions by host and port. A resumed session costs about half of a full handshake.
 * The certificate is not verified again, so the key is the verified name, and a session ends with its certificate.
 */
export class TlsSessions {
  /**
   * Sessions as Latin-1, which takes no more than their bytes. A `Buffer` takes 0.4 KB more, and those that Node emits each
   * keep 8 KB in memory: the block that they share with data of that moment.
   */
  readonly #sessions = new LruMap<{ readonly text: string; readonly validUntil: number }>(
    maxBytes,
    ({ text }) => text.length + entryBytes,
  );

  find(key: string, now: number): StoredSession | undefined {
    const stored = this.#sessions.get(key);
    if (stored === undefined || stored.validUntil <= now) return undefined;
    return { session: Buffer.from(stored.text, 'latin1'), validUntil: stored.validUntil };
  }

  store(key: string, { session, validUntil }: StoredSession): void {
    if (session.length > maxSessionBytes) return;
    this.#sessions.set(key, { text: withoutCertificate(session).toString('latin1'), validUntil });
  }

  /** Removes a session after a failed connection, because the session may be the cause. */
  forget(key: string): void {
    this.#sessions.delete(key);
  }
}

/** The first fields of a session of TLS 1.3: the version of its format, and that of the protocol. */
const beginning = Buffer.from('02010102020304', 'hex');

/** The first bytes of the field that holds the certificate, before its length (`SSL_SESSION_ASN1` of OpenSSL). */
const certificateField = Buffer.from('a382', 'hex');

/**
 * Removes the certificate from a session of TLS 1.3. It is half of the bytes, and to parse it takes 50 µs of each handshake. It is
 * not looked at when a session of TLS 1.3 is resumed. A session that is written in another way is returned as it is.
 */
function withoutCertificate(session: Buffer): Buffer {
  const first = session.indexOf(beginning);
  if (first < 2 || session.readUInt16BE(first - 2) !== session.length - first) return session;
  let at = first;
  // Each field before it has less than 128 bytes, and its length in one.
  while ((session[at + 1] ?? 128) < 128) at += 2 + (session[at + 1] ?? 0);
  if (!session.subarray(at, at + 2).equals(certificateField)) return session;
  const rest = session.subarray(at + 4 + session.readUInt16BE(at + 2));
  const stripped = Buffer.concat([session.subarray(0, at), rest]);
  stripped.writeUInt16BE(stripped.length - first, first - 2);
  return stripped;
}
