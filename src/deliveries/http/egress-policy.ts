import { BlockList, isIP } from 'node:net';
import { isInRanges, type PortRange } from '../../lib/port-range.ts';
import { globalIpv6Unicast, specialIpv4Blocks, specialIpv6Blocks, type SpecialBlock } from './special-addresses.ts';

/** Where connections may lead. Each method answers why not, in words for the outcome; undefined means: allowed. */
export interface EgressPolicy {
  refusePort(port: number): string | undefined;
  /** Of an address as text, never of a name. */
  refuseAddress(address: string): string | undefined;
}

interface EgressPolicyOptions {
  readonly allowedPorts: readonly PortRange[];
  /** CIDRs reachable although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Addresses of this machine, as they are now; public ones matter only, since all others are refused anyway. */
  readonly ownAddresses?: () => readonly string[];
}

/** Throws a `RangeError` when a network is not a CIDR. */
export function createEgressPolicy({
  allowedPorts,
  allowedNetworks,
  ownAddresses = () => [],
}: EgressPolicyOptions): EgressPolicy {
  const exceptions = allowedNetworks.map(parseNetwork);
  const special = { ipv4: specialIpv4Blocks.map(match), ipv6: specialIpv6Blocks.map(match) };
  const unicast = parseNetwork(globalIpv6Unicast);
  return {
    refusePort(port) {
      return isInRanges(allowedPorts, port) ? undefined : `port ${port} is not allowed`;
    },
    refuseAddress(address) {
      const family = familyOf(address);
      // A zone such as `%eth0` says which link, and a public address is on none.
      if (family === undefined || address.includes('%')) return 'what the host name leads to is no address';
      if (exceptions.some((network) => network.includes(address, family))) return undefined;
      const block = special[family].find(({ network }) => network.includes(address, family));
      if (block !== undefined) return `the address is not public but ${block.purpose}`;
      if (family === 'ipv6' && !unicast.includes(address, family)) return 'the address is not public';
      return ownAddresses().includes(canonical(address)) ? 'the address is of this machine' : undefined;
    },
  };
}

/** As the system writes it. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`https://[${address}]`).hostname.slice(1, -1) : address;
}

type Family = 'ipv4' | 'ipv6';

interface Network {
  includes(address: string, family: Family): boolean;
}

function match({ network, purpose }: SpecialBlock): { readonly network: Network; readonly purpose: string } {
  return { network: parseNetwork(network), purpose };
}

/** One list per network and none for both families: a `BlockList` with `::ffff:0:0/96` finds every IPv4 address in it. */
function parseNetwork(text: string): Network {
  const [address = '', bits = '', ...rest] = text.split('/');
  const own = familyOf(address);
  const prefix = Number(bits);
  if (own === undefined || !/^\d+$/.test(bits) || rest.length > 0 || prefix > (own === 'ipv4' ? 32 : 128)) {
    throw new RangeError(`Not a network in CIDR notation: ${text}`);
  }
  const list = new BlockList();
  list.addSubnet(address, prefix, own);
  return { includes: (candidate, family) => family === own && list.check(candidate, family) };
}

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}
