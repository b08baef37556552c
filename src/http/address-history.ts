import { isIP } from 'node:net';
import { LruMap } from '../lib/lru-map.ts';

/** The time for which an address that failed is tried last. A connection a minute then finds out whether it is back. */
const avoidedMs = 60_000;

/** The most addresses that are avoided. Each takes about 0.1 KB. */
const maxAvoided = 10_000;

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * Knows which addresses failed lately, and chooses the order in which to try those of a name.
 *
 * New connections are spread over the addresses that did not fail. A name server may return them in the same order each
 * time, and an answer is kept for minutes.
 */
export class AddressHistory {
  readonly #failed = new LruMap<{ readonly at: number }>(maxAvoided);
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Notes that no connection came about. `endpoint` is an address with its port. */
  noteFailure(endpoint: string, now: number): void {
    this.#failed.set(endpoint, { at: now });
  }

  noteSuccess(endpoint: string): void {
    this.#failed.delete(endpoint);
  }

  /** Returns the addresses in the order in which to try them. Both families take turns (RFC 8305, 4). */
  order(addresses: readonly string[], port: number, now: number): readonly string[] {
    if (addresses.length < 2) return addresses;
    const hasFailed = (address: string): boolean => {
      const failure = this.#failed.get(endpointOf(address, port));
      return failure !== undefined && now - failure.at < avoidedMs;
    };
    const good = addresses.filter((address) => !hasFailed(address));
    const bad = addresses.filter(hasFailed);
    return [good, bad].flatMap((group) => this.#spread(group));
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

/** Returns an address with its port, as a key. */
export function endpointOf(address: string, port: number): string {
  return `${address} ${port}`;
}
