import { isIP } from 'node:net';
import { LruMap } from '../lib/lru-map.ts';
import { authorityOf, type Target } from './target.ts';

/** The time for which an address that failed is tried last. A connection a minute then finds out whether it is back. */
const avoidedMs = 60_000;

/** The same after silence in a handshake, because that costs an attempt. */
const silentMs = 3_600_000;

/** The time for which an endpoint gets plain handshakes. */
const plainMs = 3_600_000;

/** The most addresses and endpoints that are remembered. Each takes about 0.1 KB. */
const maxNotes = 20_000;

/** How a handshake ended before the endpoint had sent a byte: by a reset, or by the timeout. */
export const unansweredEnds = ['reset', 'silence'] as const;
export type UnansweredEnd = (typeof unansweredEnds)[number];

interface UnansweredHandshake {
  /** Host and port of the endpoint. */
  readonly authority: string;
  readonly address: string;
  readonly wasPlain: boolean;
  readonly end: UnansweredEnd;
}

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * Knows which addresses failed lately, and chooses the order in which to try those of a name. Knows which endpoints get a
 * plain handshake: one without a large key and without an old session.
 *
 * With a key of ML-KEM, the first message of a handshake has 1,583 bytes, more than a packet. Some middleboxes reset or drop
 * such a connection (https://tldr.fail). Some servers do with an old session. A plain handshake without an answer has no such
 * cause, so the next one is whole again.
 *
 * New connections are spread over the addresses that did not fail. A name server may return them in the same order each
 * time, and an answer is kept for minutes.
 */
export class AddressHistory {
  readonly #notes = new LruMap<{ readonly until: number }>(maxNotes);
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Notes that no connection came about. `endpoint` is an address with its port. */
  noteFailure(endpoint: string, now: number): void {
    this.#notes.set(endpoint, { until: now + avoidedMs });
  }

  noteSuccess(endpoint: string): void {
    this.#notes.delete(endpoint);
  }

  isPlain(authority: string, now: number): boolean {
    return this.#isNoted(authority, now);
  }

  noteUnanswered({ authority, address, wasPlain, end }: UnansweredHandshake, now: number): void {
    if (wasPlain) this.#notes.delete(authority);
    else this.#notes.set(authority, { until: now + plainMs });
    // Other endpoints at the address may work.
    const forMs = end === 'silence' ? silentMs : avoidedMs;
    this.#notes.set(handshakeKey(authority, address), { until: now + forMs });
  }

  noteHandshake({ host, port }: Target, address: string): void {
    this.noteSuccess(endpointOf(address, port));
    this.noteSuccess(handshakeKey(authorityOf({ host, port }), address));
  }

  /**
   * Returns the addresses in the order in which to try them. Both families take turns (RFC 8305, 4). Without a host, only
   * failures to connect count.
   */
  order(addresses: readonly string[], port: number, now: number, host = ''): readonly string[] {
    if (addresses.length < 2) return addresses;
    const authority = authorityOf({ host, port });
    const hasFailed = (address: string): boolean =>
      this.#isNoted(endpointOf(address, port), now) || this.#isNoted(handshakeKey(authority, address), now);
    const good = addresses.filter((address) => !hasFailed(address));
    const bad = addresses.filter(hasFailed);
    return [good, bad].flatMap((group) => this.#spread(group));
  }

  #isNoted(key: string, now: number): boolean {
    return now < (this.#notes.get(key)?.until ?? 0);
  }

  #spread(addresses: readonly string[]): readonly string[] {
    const [ipv4 = [], ipv6 = []] = [4, 6].map((family) =>
      this.#rotate(addresses.filter((address) => isIP(address) === family)),
    );
    return Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, index) => [ipv4[index], ipv6[index]])
      .flat()
      .filter((address) => address !== undefined);
  }

  #rotate(addresses: readonly string[]): readonly string[] {
    const first = Math.floor(this.#random() * addresses.length);
    return [...addresses.slice(first), ...addresses.slice(0, first)];
  }
}

export function endpointOf(address: string, port: number): string {
  return `${address} ${port}`;
}

function handshakeKey(authority: string, address: string): string {
  return `${authority} ${address}`;
}
