import { lookup } from 'node:dns/promises';
import type { MonotonicClock } from '../../lib/clock.ts';
import { limitAddresses } from './address-limit.ts';
import type { Resolve } from './resolver.ts';

/**
 * The time for which an answer is kept. A lookup occupies one of libuv's few threads, so it is made at most every 30 s.
 */
const lifetimeMs = 30_000;

/**
 * Resolves the name of the proxy through the system, which knows the search domains that a short name needs.
 * Keeps the latest answer, and makes one lookup at a time for one name.
 */
export function createSystemResolve(clock: Pick<MonotonicClock, 'monotonic'>): Resolve {
  let last: { readonly name: string; readonly found: Promise<readonly string[]>; staleAt: number } | undefined;
  return (name) => {
    if (last?.name === name && clock.monotonic() < last.staleAt) return last.found;
    const entry = { name, found: find(name), staleAt: Infinity };
    entry.found.then(
      () => void (entry.staleAt = clock.monotonic() + lifetimeMs),
      () => void (entry.staleAt = 0),
    );
    last = entry;
    return entry.found;
  };
}

async function find(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  const addresses = found.map(({ address }) => address);
  return limitAddresses(addresses, () => true).taken;
}
