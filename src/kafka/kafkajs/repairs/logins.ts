import type { Connection, SaslAuthenticator } from '../internals.ts';

/** The fixed threshold of kafkajs, kept for long sessions. */
const longestThresholdMs = 10_000;

/**
 * Authenticates a connection again when a third of its session is left, at most 10 s before the end (KIP-368).
 *
 * kafkajs uses 10 s for every session. With sessions of 10 s or less, every request authenticated first. Brokers accept
 * that once a second and refused the others.
 */
export function reauthenticateInTime(connection: Connection): void {
  const lifetimes = new WeakMap<Connection, Lifetime>();
  // kafkajs sets this property after each authentication. Zero means that the session does not end.
  Object.defineProperty(connection, 'sessionLifetime', {
    get(this: Connection) {
      return lifetimes.get(this);
    },
    set(this: Connection, lifetime: Lifetime) {
      lifetimes.set(this, lifetime);
      this.reauthenticationThreshold = Math.min(longestThresholdMs, Math.floor(Number(lifetime.toString()) / 3));
    },
  });
}

/** A 64-bit integer of kafkajs, in milliseconds. */
interface Lifetime {
  toString(): string;
}

/**
 * Lets a mechanism prepare before its login begins.
 *
 * kafkajs begins the login with a handshake, and asks a mechanism for its token after that. Without a token the handshake
 * stays open, and the broker answers the next one on that connection with `ILLEGAL_SASL_STATE`. That hid the reason.
 */
export function prepareLogin(authenticator: SaslAuthenticator): void {
  const { authenticate } = authenticator;
  authenticator.authenticate = async function prepareFirst(this: SaslAuthenticator) {
    const { sasl } = this.connection;
    if ('prepare' in sasl) await sasl.prepare();
    await authenticate.call(this);
  };
}
