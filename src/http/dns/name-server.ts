import { promises, type RecordWithTtl } from 'node:dns';
import type { MonotonicClock } from '../../lib/clock.ts';
import { CodedError } from '../request-error.ts';
import { isFinal, mergeAnswers, type FamilyAnswer, type NameAnswer } from './name-answer.ts';

/** Returns the name servers to ask, each `address:port`. */
export type FindServers = () => readonly string[];

/** Returns the servers of `/etc/resolv.conf`. c-ares reads the file for each new resolver, which takes 0.1 ms. */
export const systemServers: FindServers = () => new promises.Resolver().getServers();

/** The time between two looks at the servers. Each takes as long as a few lookups. */
const lookEveryMs = 5000;

/**
 * Asks the name servers of the system. Looks at them again while names are looked up, at most every 5 s, and as soon as a
 * lookup fails. A change of `/etc/resolv.conf` thus needs no restart.
 */
export class NameServer implements Disposable {
  readonly #clock: MonotonicClock;
  readonly #findServers: FindServers;
  #servers: readonly string[];
  #queries: Queries;
  /** The queries to servers that were replaced, until they are answered. */
  readonly #outdated = new Set<Queries>();
  #lookedAt: number;
  #disposed = false;

  constructor(clock: MonotonicClock, findServers: FindServers = systemServers) {
    this.#clock = clock;
    this.#findServers = findServers;
    this.#servers = findServers();
    this.#queries = new Queries(clock, this.#servers);
    this.#lookedAt = clock.monotonic();
  }

  /** Resolves to the addresses of both families, IPv4 first, or to those of one if the other is late. Never rejects. */
  async ask(name: string): Promise<NameAnswer> {
    const askedAt = this.#clock.monotonic();
    if (askedAt - this.#lookedAt >= lookEveryMs) this.#look();
    const queries = this.#queries;
    const answer = await queries.ask(name);
    for (const outdated of this.#outdated) if (outdated.pending === 0) this.#outdated.delete(outdated);
    if (this.#disposed || answer.kind !== 'failure' || isFinal(answer.error)) return answer;
    if (this.#lookedAt <= askedAt) this.#look();
    return queries === this.#queries ? answer : this.#queries.ask(name);
  }

  /** Fails the queries in flight. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const queries of [this.#queries, ...this.#outdated]) queries.cancel();
  }

  #look(): void {
    this.#lookedAt = this.#clock.monotonic();
    const servers = this.#findServers();
    if (servers.join() === this.#servers.join()) return;
    this.#servers = servers;
    if (this.#queries.pending > 0) this.#outdated.add(this.#queries);
    this.#queries = new Queries(this.#clock, servers);
  }
}

/**
 * The timeouts of each try at each server, in ms; as many tries as those of glibc. Node checks for late answers only once a
 * second. A lost packet thus costs up to two seconds. Silence takes about three seconds with one server, and six with three.
 *
 * They are the one limit for an answer over TCP that ends too early: c-ares 1.34.8 waits for its rest in a loop that never
 * sleeps (https://github.com/c-ares/c-ares/pull/1138, found in https://github.com/oven-sh/bun/pull/42944).
 */
const caresOptions = { timeout: 1000, tries: 2, maxTimeout: 1000 };

/**
 * The wait for the second address family after the first has answered. Some name servers never answer for IPv6. A later
 * answer joins the connection attempts that began without it (RFC 8305, 3).
 */
const resolutionDelayMs = 50;

/**
 * Queries to certain name servers through c-ares. `dns.lookup` would ask through the system, with two lookups at once in
 * the whole process. Two names with silent servers would then stop all other lookups.
 */
class Queries {
  readonly #cares = new promises.Resolver(caresOptions);
  readonly #clock: MonotonicClock;
  #pending = 0;

  constructor(clock: MonotonicClock, servers: readonly string[]) {
    this.#clock = clock;
    this.#cares.setServers(servers);
  }

  /** The number of names whose answers have not all come. */
  get pending(): number {
    return this.#pending;
  }

  async ask(name: string): Promise<NameAnswer> {
    this.#pending += 1;
    const ipv4 = answerOf(this.#cares.resolve4(name, { ttl: true }));
    const ipv6 = answerOf(this.#cares.resolve6(name, { ttl: true }));
    const whole = Promise.all([ipv4, ipv6]).then((answers) => {
      this.#pending -= 1;
      return mergeAnswers(answers);
    });
    const first = await Promise.race([ipv4, ipv6]);
    if (first.kind === 'failure') return whole;
    const delay = Promise.withResolvers<FamilyAnswer>();
    const late = { kind: 'failure', error: new Error('late') } as const;
    using _timer = this.#clock.after(resolutionDelayMs, () => delay.resolve(late));
    const answer = mergeAnswers(await Promise.all([ipv4, ipv6].map((one) => Promise.race([one, delay.promise]))));
    return answer.kind === 'partial' ? { ...answer, whole } : answer;
  }

  cancel(): void {
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
