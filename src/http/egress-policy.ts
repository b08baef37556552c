import { BlockList, isIP } from 'node:net';
import { isInRanges, type PortRange } from '../lib/port-range.ts';
import { globalIpv6Unicast, specialIpv4Blocks, specialIpv6Blocks, type SpecialBlock } from './special-addresses.ts';

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
  /** Returns the current addresses of this machine. Only public ones matter, since all others are refused anyway. */
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
      // A zone such as `%eth0` names a link. Public addresses have none.
      if (family === undefined || address.includes('%')) return 'what the host name leads to is no address';
      if (exceptions.some((network) => network.includes(address, family))) return undefined;
      const block = special[family].find(({ network }) => network.includes(address, family));
      if (block !== undefined) return `the address is not public but ${block.purpose}`;
      if (family === 'ipv6' && !unicast.includes(address, family)) return 'the address is not public';
      return ownAddresses().includes(canonical(address)) ? 'the address is of this machine' : undefined;
    },
  };
}

/** Returns the address in the form that the system uses. */
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
  return { includes: (candidate, family) => family === own && list.check(candidate, family) };
}

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}
