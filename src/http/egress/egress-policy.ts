import { BlockList, isIP } from 'node:net';
import { isInRanges, type PortRange } from '../../lib/port-range.ts';
import { globalIpv6Unicast, specialIpv4Blocks, specialIpv6Blocks, type SpecialBlock } from './special-addresses.ts';
import { networkInterfaces } from 'node:os';
import type { MonotonicClock } from '../../lib/clock.ts';

/**
 * The rules for the targets of connections. Each method returns the reason of a refusal, or undefined if it is allowed.
 */
export interface EgressPolicy {
  refusePort(port: number): string | undefined;
  /** Takes an address as text, never a name. */
  refuseAddress(address: string): string | undefined;
}

interface EgressPolicyOptions {
  readonly allowedPorts: readonly PortRange[];
  /** CIDRs that are allowed although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** CIDRs that are refused although they are public or allowed. */
  readonly deniedNetworks?: readonly string[] | undefined;
  /** Returns the current addresses of this machine. Only public ones matter, since all others are refused anyway. */
  readonly ownAddresses?: () => readonly string[];
}

/** Throws a `RangeError` when a network is not a CIDR. */
export function createEgressPolicy({
  allowedPorts,
  allowedNetworks,
  deniedNetworks = [],
  ownAddresses = () => [],
}: EgressPolicyOptions): EgressPolicy {
  const exceptions = allowedNetworks.map(parseNetwork).toSorted((one, other) => other.bits - one.bits);
  const denied = deniedNetworks.map(parseNetwork);
  const findBlock = { ipv4: createFind(specialIpv4Blocks, 'ipv4'), ipv6: createFind(specialIpv6Blocks, 'ipv6') };
  const unicast = parseNetwork(globalIpv6Unicast);
  const refuse = (address: string): string | undefined => {
    const family = familyOf(address);
    // A zone such as `%eth0` names a link. Public addresses have none.
    if (family === undefined || address.includes('%')) return 'what the host name leads to is no address';
    const holds = (network: Network): boolean => network.includes(address, family);
    if (denied.some(holds)) return 'the address is in a denied network';
    const block = findBlock[family](address);
    const exception = exceptions.find(holds);
    if (exception !== undefined) return refuseInside(address, block?.ipv4At, exception);
    if (block !== undefined) return `the address is not public but ${block.purpose}`;
    if (family === 'ipv6' && !holds(unicast)) return 'the address is not public';
    return ownAddresses().includes(canonical(address)) ? 'the address is of this machine' : undefined;
  };
  const refuseInside = (address: string, ipv4At: SpecialBlock['ipv4At'], { bits }: Network): string | undefined => {
    const refused = ipv4At === undefined ? undefined : refuse(ipv4Inside(address, ipv4At, bits));
    return refused === undefined ? undefined : `of the IPv4 address inside it: ${refused}`;
  };
  return {
    refusePort: (port) => (isInRanges(allowedPorts, port) ? undefined : `port ${port} is not allowed`),
    refuseAddress: refuse,
  };
}

/** Returns the address in the form that the system uses. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`https://[${address}]`).hostname.slice(1, -1) : address;
}

/** Returns the IPv4 address inside an IPv6 address of an allowed network. Its bits pass over byte 8 (RFC 6052, 2.2). */
function ipv4Inside(address: string, places: readonly number[], networkBits: number): string {
  const [left = [], right = []] = canonical(address)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const bytes = Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
  const first = (places.findLast((place) => place <= networkBits) ?? places[0] ?? 96) / 8;
  return bytes
    .filter((_byte, index) => index >= first && index !== 8)
    .subarray(0, 4)
    .join('.');
}

type Family = 'ipv4' | 'ipv6';

interface Network {
  /** The length of the prefix. */
  readonly bits: number;
  includes(address: string, family: Family): boolean;
}

/** Returns a function that finds the block of an address. Most are in none, and each look at one network takes 0.3 µs. */
function createFind(special: readonly SpecialBlock[], family: Family) {
  const blocks = special.map(({ network, ...block }) => ({ ...block, network: parseNetwork(network) }));
  const all = new BlockList();
  for (const [address = '', bits] of special.map(({ network }) => network.split('/'))) {
    all.addSubnet(address, Number(bits), family);
  }
  return (address: string) =>
    all.check(address, family) ? blocks.find(({ network }) => network.includes(address, family)) : undefined;
}

/**
 * Parses a CIDR. Each network has its own list, because a `BlockList` with `::ffff:0:0/96` contains every IPv4 address.
 */
function parseNetwork(text: string): Network {
  const [address = '', bits = '', ...extra] = text.split('/');
  const own = familyOf(address);
  const prefix = Number(bits);
  if (own === undefined || !/^\d+$/.test(bits) || extra.length > 0 || prefix > (own === 'ipv4' ? 32 : 128)) {
    throw new RangeError(`Not a network in CIDR notation: ${text}`);
  }
  const list = new BlockList();
  list.addSubnet(address, prefix, own);
  return { bits: prefix, includes: (candidate, family) => family === own && list.check(candidate, family) };
}

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** The time for which own addresses are kept. Asking the system takes longer than all other checks of the egress policy. */
const ownLifetimeMs = 1000;

/** Creates a function that returns the addresses of this machine's interfaces, at most one second old. */
export function createOwnAddresses(clock: MonotonicClock): () => readonly string[] {
  let known: readonly string[] = [];
  let staleAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now >= staleAt) {
      known = Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces.map(({ address }) => address));
      staleAt = now + ownLifetimeMs;
    }
    return known;
  };
}
