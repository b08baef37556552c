import { isIP } from 'node:net';

/**
 * The most addresses of one family that are taken from an answer. A connection tries four a second until it times out, so it
 * hardly gets further. Large services answer with 8 to 13 addresses.
 */
export const maxAddressesPerFamily = 16;

/**
 * The most addresses of one family that are checked against the egress policy. A check takes up to 7 microseconds, so all
 * take 2 ms. An answer over UDP holds at most 75 addresses.
 */
const maxChecks = 256;

/**
 * The number of dropped addresses from which an answer counts as hostile. No service has so many. c-ares takes 20 ms for
 * thousands, and Node has no option to limit that.
 */
export const hostileAddresses = 256;

export type IsAllowed = (address: string) => boolean;

interface LimitedAddresses {
  readonly taken: readonly string[];
  readonly dropped: number;
}

/**
 * Limits the addresses of a name. From a family with too many, allowed addresses are taken before others. A name with one
 * allowed address must not be blocked because of its place in the answer.
 */
export function limitAddresses(addresses: readonly string[], isAllowed: IsAllowed): LimitedAddresses {
  if (addresses.length <= maxAddressesPerFamily) return { taken: addresses, dropped: 0 };
  const families = [4, 6].map((version) => addresses.filter((address) => isIP(address) === version));
  const taken = families.flatMap((family) =>
    family.length <= maxAddressesPerFamily ? family : pick(family, isAllowed),
  );
  return { taken, dropped: addresses.length - taken.length };
}

/** Picks the first allowed addresses, then the first refused ones. Checks no more addresses than it has to. */
function pick(family: readonly string[], isAllowed: IsAllowed): readonly string[] {
  const allowed: string[] = [];
  const refused: string[] = [];
  for (const address of family.slice(0, maxChecks)) {
    (isAllowed(address) ? allowed : refused).push(address);
    if (allowed.length === maxAddressesPerFamily) break;
  }
  return [...allowed, ...refused].slice(0, maxAddressesPerFamily);
}
