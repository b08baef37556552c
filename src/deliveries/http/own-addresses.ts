import { networkInterfaces } from 'node:os';
import type { Clock } from '../../lib/clock.ts';

/** An interface may come and go. To ask the system takes longer than all the rest of the egress policy. */
const lifetimeMs = 1000;

/** The addresses of this machine's interfaces, as they were a second ago at most. */
export function createOwnAddresses(clock: Clock): () => readonly string[] {
  let known: readonly string[] = [];
  let staleAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    if (now >= staleAt) {
      known = Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces.map(({ address }) => address));
      staleAt = now + lifetimeMs;
    }
    return known;
  };
}
