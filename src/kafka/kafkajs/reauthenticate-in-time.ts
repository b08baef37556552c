import type { Connection } from './internals.ts';

const longestThresholdMs = 10_000;

/**
 * A connection authenticates anew when a third of its session is left, 10 s at most. It was 10 s whatever the session:
 * with one of 10 s or less, each request authenticated first, which brokers take once a second, and refused then.
 */
export function reauthenticateInTime(connection: Connection): void {
  const lifetimes = new WeakMap<Connection, Lifetime>();
  // kafkajs writes it after each authentication; zero is a session without an end.
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
