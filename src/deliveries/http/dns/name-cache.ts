import { LruMap } from '../../../lib/lru-map.ts';
import type { NameAnswer } from './name-answer.ts';

/** About 0.3 KB each. */
const maxNames = 50_000;

/** Our limits for what the owner of a name says: one that is asked for all the time is not asked for at each request. */
const minTtlMs = 30_000;
const maxTtlMs = 300_000;

/**
 * Spares the name server the requests to a broken name, and keeps nobody waiting once it is repaired. The same goes for
 * half an answer: the family that it lacks may be the only one that this machine can reach.
 */
const briefTtlMs = 5000;

/** Answers by name, each for as long as its owner says. */
export class NameCache {
  readonly #entries = new LruMap<{ readonly answer: NameAnswer; readonly staleAt: number }>(maxNames);

  find(name: string, now: number): NameAnswer | undefined {
    const entry = this.#entries.get(name);
    return entry === undefined || entry.staleAt <= now ? undefined : entry.answer;
  }

  store(name: string, answer: NameAnswer, now: number): void {
    this.#entries.set(name, { answer, staleAt: now + lifetimeMs(answer) });
  }
}

function lifetimeMs(answer: NameAnswer): number {
  switch (answer.kind) {
    case 'addresses':
      return Math.min(Math.max(answer.ttlMs, minTtlMs), maxTtlMs);
    case 'partial':
    case 'failure':
      return briefTtlMs;
  }
}
