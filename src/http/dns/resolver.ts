import { systemClock, type MonotonicClock } from '../../lib/clock.ts';
import { hostileAddresses, limitAddresses, type IsAllowed } from './address-limit.ts';
import { parseHosts, type Hosts, fileLifetimeMs, SystemFile, parseSearchDomains } from './system-file.ts';
import { isFinal, type NameAnswer, NameCache } from './name-answer.ts';
import { NameServer, type FindServers } from './name-server.ts';
import { CodedError } from '../request-error.ts';
import { Semaphore } from './semaphore.ts';

/** Resolves to the addresses of a name, at most 16 of each family. Rejects if none is found. */
export type Resolve = (name: string, onPartial?: OnPartial) => Promise<readonly string[]>;

/**
 * Called before a name resolves to the addresses of one family, because the answer for the other is late. `all` resolves to
 * those of both, and never rejects.
 */
type OnPartial = (all: Promise<readonly string[]>) => void;

/** The limit of names that are queried at once. More queries overflow the buffers of UDP, and answers are lost. */
const maxQueries = 256;

/**
 * The time after which a name no longer counts for `maxQueries`, because silence lasts longer than a connect timeout.
 * With it, even 4,096 names with silent servers delay another name by 4 s at most.
 */
const longestHoldMs = 250;

/** The limit of lookups, waiting ones included. A lookup goes on without its caller, for the next attempt. */
const maxLookups = 4096;

/** The longest name of DNS (RFC 1035, 2.3.4), without the dot at its end. */
const longestName = 253;

interface ResolverOptions {
  readonly clock?: MonotonicClock;
  readonly findServers?: FindServers | undefined;
  readonly hostsFile?: string;
  /** The file with the search domains of the system. Without it none are tried. */
  readonly searchFile?: string | undefined;
  /** The egress policy. Decides which addresses are taken from an answer that holds too many. */
  readonly isAllowed?: IsAllowed;
  /** Called with the number of addresses that were left out of an answer. */
  readonly onDropped?: (count: number) => void;
}

/**
 * Resolves the names of endpoints: the cache first, then the hosts file, then the name servers. A name is tried as it is. If
 * it does not exist, and has no dot at its end, it is tried with each search domain: so are names inside a cluster.
 *
 *     resolve ──▶ cache ── missing or stale ──▶ lookup in flight? ── no ──▶ semaphore ──▶ hosts file ──▶ name server
 *                   │                              │ yes                                                    │
 *                   ▼                              ▼                                                        ▼
 *                answer ◀────────────────────── answer ◀────────────────────────────────────────── stored in the cache
 *
 * Owns the cache, the lookups in flight by name, and the parsed files. The direct route calls `resolve` for each
 * new connection. It stops waiting when its deadline ends; the lookup goes on.
 *
 * Promises:
 * - At most one lookup for each name is in flight, however many callers wait for it.
 * - At most `maxQueries` names are looked up at once, those that took longer than `longestHoldMs` not counted.
 * - An answer holds at most 16 addresses of each family, so that neither the cache nor a connection pays for a long one.
 * - Beyond `maxLookups`, `resolve` rejects with `TOO_MANY_LOOKUPS`. Otherwise it rejects with the error of c-ares.
 * - Disposal fails the lookups in flight. No query is sent after it.
 */
export class Resolver implements AsyncDisposable {
  readonly #clock: MonotonicClock;
  readonly #hosts: SystemFile<Hosts>;
  readonly #searchDomains: SystemFile<readonly string[]> | undefined;
  readonly #isAllowed: IsAllowed;
  readonly #onDropped: (count: number) => void;
  readonly #nameServer: NameServer;
  readonly #cache = new NameCache();
  readonly #semaphore: Semaphore;
  readonly #lookups = new Map<string, Promise<NameAnswer>>();
  #closed = false;

  constructor({ clock = systemClock, findServers, hostsFile = '/etc/hosts', ...options }: ResolverOptions = {}) {
    this.#clock = clock;
    this.#hosts = new SystemFile(hostsFile, parseHosts, clock);
    const { searchFile } = options;
    this.#searchDomains = searchFile === undefined ? undefined : new SystemFile(searchFile, parseSearchDomains, clock);
    this.#isAllowed = options.isAllowed ?? (() => true);
    this.#onDropped = options.onDropped ?? (() => undefined);
    this.#nameServer = new NameServer(clock, findServers);
    this.#semaphore = new Semaphore({ limit: maxQueries, longestMs: longestHoldMs, clock });
  }

  async resolve(host: string, onPartial?: OnPartial): Promise<readonly string[]> {
    const lower = host.toLowerCase();
    // The dot at the end keeps search domains away, and means nothing without them.
    const name = this.#searchDomains === undefined ? lower.replace(/\.$/, '') : lower;
    const answer = this.#cache.find(name, this.#clock.monotonic()) ?? (await this.#shared(name));
    if (answer.kind === 'failure') throw answer.error;
    if (answer.kind === 'partial' && answer.whole !== undefined) {
      onPartial?.(answer.whole.then((whole) => (whole.kind === 'failure' ? [] : whole.addresses)));
    }
    return answer.addresses;
  }

  /** Fails the lookups in flight, and waits for their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#nameServer[Symbol.dispose]();
    await Promise.all(this.#lookups.values());
  }

  #shared(name: string): Promise<NameAnswer> {
    const inFlight = this.#lookups.get(name);
    if (inFlight !== undefined) return inFlight;
    if (this.#lookups.size >= maxLookups) throw new CodedError('TOO_MANY_LOOKUPS');
    const lookup = this.#lookUp(name).finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    return lookup;
  }

  async #lookUp(name: string): Promise<NameAnswer> {
    using _permit = await this.#semaphore.acquire();
    const hosts = await this.#hosts.read();
    const domains = name.endsWith('.') ? [] : ((await this.#searchDomains?.read()) ?? []);
    if (this.#closed) return { kind: 'failure', error: new CodedError('CLOSED') };
    const whole = name.replace(/\.$/, '');
    const fromFile = hosts.get(whole);
    return this.#keep(
      name,
      fromFile === undefined
        ? await this.#search(whole, domains)
        : { kind: 'addresses', addresses: fromFile, ttlMs: fileLifetimeMs },
    );
  }

  #keep(name: string, found: NameAnswer): NameAnswer {
    const limited = this.#limit(found);
    const answer =
      limited.kind === 'partial' && limited.whole !== undefined
        ? { ...limited, whole: limited.whole.then((one) => this.#keep(name, one)) }
        : limited;
    this.#cache.store(name, answer, this.#clock.monotonic());
    return answer;
  }

  /** Asks for the name, and then in each domain until one has it. A server that fails may be the one that knows it. */
  async #search(name: string, domains: readonly string[]): Promise<NameAnswer> {
    const whole = await this.#nameServer.ask(name);
    if (!isMissing(whole)) return whole;
    for (const domain of domains.filter(({ length }) => name.length + 1 + length <= longestName)) {
      if (this.#closed) break;
      const found = await this.#nameServer.ask(`${name}.${domain}`);
      if (!isMissing(found)) return found;
    }
    return whole;
  }

  #limit(answer: NameAnswer): NameAnswer {
    if (answer.kind === 'failure') return answer;
    const { taken, dropped } = limitAddresses(answer.addresses, this.#isAllowed);
    if (dropped > 0) this.#onDropped(dropped);
    // Kept as long as possible, also if it is partial, because each lookup costs so much.
    if (dropped >= hostileAddresses) return { kind: 'addresses', addresses: taken, ttlMs: Number.POSITIVE_INFINITY };
    return { ...answer, addresses: taken };
  }
}

function isMissing(answer: NameAnswer): boolean {
  return answer.kind === 'failure' && isFinal(answer.error);
}
