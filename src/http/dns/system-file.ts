import { readFile } from 'node:fs/promises';
import type { MonotonicClock } from '../../lib/clock.ts';
import { isIP } from 'node:net';

/** The time after which a file is read again. Such files change rarely. */
export const fileLifetimeMs = 30_000;

/** A file of the system. Read again when it is stale; one that cannot be read counts as empty. */
export class SystemFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #clock: MonotonicClock;
  #latest: { readonly content: Promise<T>; readonly staleAt: number } | undefined;

  constructor(path: string, parse: (text: string) => T, clock: MonotonicClock) {
    this.#path = path;
    this.#parse = parse;
    this.#clock = clock;
  }

  read(): Promise<T> {
    const now = this.#clock.monotonic();
    if (this.#latest === undefined || this.#latest.staleAt <= now) {
      const content = readFile(this.#path, 'utf8').then(this.#parse, () => this.#parse(''));
      this.#latest = { content, staleAt: now + fileLifetimeMs };
    }
    return this.#latest.content;
  }
}

/** The addresses of `/etc/hosts` (hosts(5)) by lower-case name. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/** Skips lines that are no entries. */
export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((word) => word.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}

/** The most domains that are tried for one name. Kubernetes has three, and those of the node. */
const maxDomains = 6;

/** Returns the search domains of `/etc/resolv.conf` (resolv.conf(5)), in their order. The last line of its kind counts. */
export function parseSearchDomains(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const [keyword, ...domains] = lines.findLast(([first]) => first === 'search' || first === 'domain') ?? [];
  const first = keyword === 'domain' ? domains.slice(0, 1) : domains;
  return first
    .map((domain) => domain.replace(/\.$/, '').toLowerCase())
    .filter((domain) => domain !== '')
    .slice(0, maxDomains);
}
