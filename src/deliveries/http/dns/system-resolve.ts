import { lookup } from 'node:dns/promises';
import type { Clock } from '../../../lib/clock.ts';
import type { Resolve } from './resolver.ts';

const lifetimeMs = 30_000;

/**
 * For a name of our own that a setting holds, and which may be short: the system knows its search domains. It looks up on
 * one of the few threads that all files share, so there is one lookup at a time, and what it finds is remembered.
 */
export function createSystemResolve(clock: Pick<Clock, 'now'>): Resolve {
  let last: { readonly name: string; readonly found: Promise<readonly string[]>; staleAt: number } | undefined;
  return (name) => {
    if (last?.name === name && clock.now() < last.staleAt) return last.found;
    const entry = { name, found: find(name), staleAt: Infinity };
    entry.found.then(
      () => void (entry.staleAt = clock.now() + lifetimeMs),
      () => void (entry.staleAt = 0),
    );
    last = entry;
    return entry.found;
  };
}

async function find(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}
