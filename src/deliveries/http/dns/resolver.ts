import { readFile } from 'node:fs/promises';
import { systemClock, type Clock } from '../../../lib/clock.ts';
import { parseHosts, type Hosts } from './hosts-file.ts';
import type { NameAnswer } from './name-answer.ts';
import { NameCache } from './name-cache.ts';
import { NameServer } from './name-server.ts';
import { CodedError } from '../request-error.ts';
import { Semaphore } from './semaphore.ts';

/** Resolves to the addresses of a name, in the order in which to try them. Rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** More at once overflow the buffers of UDP, and answers are lost. Those that have been out for a turn do not count. */
const maxQuestions = 256;

/** Silence lasts longer than a connect timeout. With short turns even 4096 silent names hold up another for 4 s at most. */
const longestTurnMs = 250;

/** Under way and waiting together. Those who asked may be gone, but the answer is then there for their next attempt. */
const maxLookups = 4096;

const hostsLifetimeMs = 30_000;

interface ResolverOptions {
  readonly clock?: Clock;
  /** `address:port`; those of `/etc/resolv.conf` when left out. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * Names as the system resolves them by default, the hosts file before the name servers, but without search domains: what
 * a webhook says is a whole name. Each name is asked for once, however many wait for it, and its answer is remembered.
 */
export class Resolver implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #hostsFile: string;
  readonly #nameServer: NameServer;
  readonly #cache = new NameCache();
  readonly #turns: Semaphore;
  readonly #lookups = new Map<string, Promise<NameAnswer>>();
  #hosts: { readonly read: Promise<Hosts>; readonly staleAt: number } | undefined;
  #closed = false;

  constructor({ clock = systemClock, servers, hostsFile = '/etc/hosts' }: ResolverOptions = {}) {
    this.#clock = clock;
    this.#hostsFile = hostsFile;
    this.#nameServer = new NameServer(clock, servers);
    this.#turns = new Semaphore({ limit: maxQuestions, longestMs: longestTurnMs, clock });
  }

  async resolve(host: string): Promise<readonly string[]> {
    const name = host.replace(/\.$/, '').toLowerCase();
    const answer = this.#cache.find(name, this.#clock.now()) ?? (await this.#shared(name));
    if (answer.kind === 'failure') throw answer.error;
    return answer.addresses;
  }

  /** Fails what is under way, and waits for it to be over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#nameServer[Symbol.dispose]();
    await Promise.all(this.#lookups.values());
  }

  #shared(name: string): Promise<NameAnswer> {
    const underWay = this.#lookups.get(name);
    if (underWay !== undefined) return underWay;
    if (this.#lookups.size >= maxLookups) throw new CodedError('TOO_MANY_LOOKUPS');
    const lookup = this.#lookUp(name).finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    return lookup;
  }

  async #lookUp(name: string): Promise<NameAnswer> {
    using _turn = await this.#turns.acquire();
    const hosts = await this.#readHosts();
    if (this.#closed) return { kind: 'failure', error: new CodedError('CLOSED') };
    const fromFile = hosts.get(name);
    const answer: NameAnswer =
      fromFile === undefined
        ? await this.#nameServer.ask(name)
        : { kind: 'addresses', addresses: fromFile, ttlMs: hostsLifetimeMs };
    this.#cache.store(name, answer, this.#clock.now());
    return answer;
  }

  #readHosts(): Promise<Hosts> {
    const now = this.#clock.now();
    if (this.#hosts === undefined || this.#hosts.staleAt <= now) {
      // A system without the file has no entries in it.
      const read = readFile(this.#hostsFile, 'utf8').then(parseHosts, () => parseHosts(''));
      this.#hosts = { read, staleAt: now + hostsLifetimeMs };
    }
    return this.#hosts.read;
  }
}
