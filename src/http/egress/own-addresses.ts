import { networkInterfaces } from 'node:os';
import type { MonotonicClock } from '../../lib/clock.ts';

/**
 * The time for which the addresses are kept. Asking the system takes longer than all other checks of the egress policy.
 */
const lifetimeMs = 1000;

/** Creates a function that returns the addresses of this machine's interfaces, at most one second old. */
export function createOwnAddresses(clock: MonotonicClock): () => readonly string[] {
  let known: readonly string[] = [];
  let staleAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now >= staleAt) {
      known = Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces.map(({ address }) => address));
      staleAt = now + lifetimeMs;
    }
    return known;
  };
}
