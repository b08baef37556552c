import { LruMap } from '../../lib/lru-map.ts';

/** The answer for one address family: its addresses, or the error that explains why there are none. */
export type FamilyAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: 'failure'; readonly error: unknown };

/**
 * The answer for one name. It is `partial` while the other family may have addresses that are not known, because of `error`.
 * `whole` resolves to the answer with the late family, and never rejects.
 */
export type NameAnswer = FamilyAnswer | PartialAnswer;

interface PartialAnswer {
  readonly kind: 'partial';
  readonly addresses: readonly string[];
  readonly error: unknown;
  readonly whole?: Promise<NameAnswer>;
}

/** Merges the answers for both families, in their order. Addresses of one family make up for a failure of the other. */
export function mergeAnswers(answers: readonly FamilyAnswer[]): NameAnswer {
  const found = answers.filter((answer) => answer.kind === 'addresses');
  const errors = answers.filter((answer) => answer.kind === 'failure').map((answer) => answer.error);
  const inconclusive = errors.find((error) => !isFinal(error));
  if (found.length === 0) return { kind: 'failure', error: inconclusive ?? errors[0] };
  const addresses = found.flatMap((answer) => answer.addresses);
  if (inconclusive !== undefined) return { kind: 'partial', addresses, error: inconclusive };
  return { kind: 'addresses', addresses, ttlMs: Math.min(...found.map((answer) => answer.ttlMs)) };
}

/** Returns true for "no such name" and "no address". After any other error the name may still have addresses. */
export function isFinal(error: unknown): boolean {
  return hasCode(error, 'ENOTFOUND') || hasCode(error, 'ENODATA');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The limit of names. Each takes about 0.3 KB, so all of them 15 MB. With the most addresses it is 2.2 KB, so at most 110 MB. */
const maxNames = 50_000;

/** The limits for the time to live of a name. The lower one keeps a busy name from being looked up at each request. */
const minTtlMs = 30_000;
const maxTtlMs = 300_000;

/**
 * The time for which failures and partial answers are kept. Long enough to spare the name server, short enough for a
 * name that was repaired. The family that a partial answer lacks may be the only one that this machine can reach.
 */
const briefTtlMs = 5000;

/**
 * Keeps the answers for names until they are stale. Callers pass the time.
 *
 * The resolver calls `find` before each lookup and `store` after it. When the cache is full, a new name replaces the
 * least recently used one. A stale answer stays until it is replaced, and is never returned.
 */
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

/** Returns for how long an answer is kept. One whose other family timed out is kept longer: each such lookup may take seconds of the processor. */
function lifetimeMs(answer: NameAnswer): number {
  if (answer.kind === 'addresses') return Math.min(Math.max(answer.ttlMs, minTtlMs), maxTtlMs);
  return answer.kind === 'partial' && hasCode(answer.error, 'ETIMEOUT') ? minTtlMs : briefTtlMs;
}
