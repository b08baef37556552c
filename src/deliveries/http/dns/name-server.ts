import { promises, type RecordWithTtl } from 'node:dns';
import type { MonotonicClock } from '../../../lib/clock.ts';
import { CodedError } from '../request-error.ts';
import { mergeAnswers, type FamilyAnswer, type NameAnswer } from './name-answer.ts';

/**
 * The timeouts of each try at each server, in ms. Node checks for late answers only once a second. A lost packet thus
 * costs up to two seconds. Silence takes about six seconds with one server, and sixteen with three.
 */
const caresOptions = { timeout: 1000, tries: 3, maxTimeout: 2000 };

/**
 * The wait for the second address family after the first has answered. Some name servers never answer for IPv6 (RFC
 * 8305, 3).
 */
const resolutionDelayMs = 50;

/**
 * Asks the name servers of `/etc/resolv.conf` through c-ares. `dns.lookup` would ask through the system, with two
 * lookups at once in the whole process. Two names with silent servers would then stop all other lookups.
 */
export class NameServer implements Disposable {
  readonly #cares = new promises.Resolver(caresOptions);
  readonly #clock: MonotonicClock;

  constructor(clock: MonotonicClock, servers?: readonly string[]) {
    this.#clock = clock;
    if (servers !== undefined) this.#cares.setServers(servers);
  }

  /** Resolves to the addresses of both families, IPv4 first. Never rejects. */
  async ask(name: string): Promise<NameAnswer> {
    const ipv4 = answerOf(this.#cares.resolve4(name, { ttl: true }));
    const ipv6 = answerOf(this.#cares.resolve6(name, { ttl: true }));
    const first = await Promise.race([ipv4, ipv6]);
    if (first.kind === 'failure') return mergeAnswers(await Promise.all([ipv4, ipv6]));
    const delay = Promise.withResolvers<FamilyAnswer>();
    const late = { kind: 'failure', error: new Error('late') } as const;
    using _timer = this.#clock.after(resolutionDelayMs, () => delay.resolve(late));
    return mergeAnswers(await Promise.all([ipv4, ipv6].map((answer) => Promise.race([answer, delay.promise]))));
  }

  /** Fails the queries in flight. */
  [Symbol.dispose](): void {
    this.#cares.cancel();
  }
}

async function answerOf(query: Promise<readonly RecordWithTtl[]>): Promise<FamilyAnswer> {
  try {
    const records = await query;
    // An alias that leads to no address is a successful answer for c-ares.
    if (records.length === 0) throw new CodedError('ENODATA');
    return {
      kind: 'addresses',
      addresses: records.map(({ address }) => address),
      ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1000,
    };
  } catch (error) {
    return { kind: 'failure', error };
  }
}
