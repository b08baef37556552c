import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../../src/deliveries/http/egress-policy.ts';
import { Random } from '../../simulation/random.ts';
import { addressIn, formatAddress, parseAddress, type Family } from './addresses.ts';
import { ipv4Registry, ipv6Registry } from './iana-registries.ts';

const publicOnly = createEgressPolicy({ allowedPorts: [], allowedNetworks: [] });
const random = new Random(6890);

describe.each([
  ['IPv4', 4, ipv4Registry],
  ['IPv6', 6, ipv6Registry],
] as const)("every block of IANA's special-purpose registry of %s is refused:", (_title, family, registry) => {
  it.each(registry.map((row) => [row.network, row.name, row]))('%s, %s', (network) => {
    const addresses = [first, last, ...Array.from({ length: 50 }, () => anywhere)].map((where) =>
      where(network, family),
    );
    const reached = addresses.filter((address) => publicOnly.refuseAddress(address) === undefined);
    expect(reached).toEqual([]);
  });
});

/** Anycast services and identifiers: reachable or not, no endpoint lives there. */
it('that is also true of those that the registries call globally reachable', () => {
  const reachable = [...ipv4Registry, ...ipv6Registry].filter((row) => row.isGloballyReachable === true);
  expect(reachable.map(({ network }) => network).join(' ')).toBe(
    '192.0.0.9/32 192.0.0.10/32 192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 ' +
      '64:ff9b::/96 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:3::/32 2001:4:112::/48 ' +
      '2001:20::/28 2001:30::/28 2620:4f:8000::/48',
  );
});

describe('the addresses next to the largest blocks are allowed:', () => {
  it.each(['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])(
    '%s',
    (network) => {
      const neighbours = [parseAddress(first(network, 4)) - 1n, parseAddress(last(network, 4)) + 1n];
      for (const neighbour of neighbours) {
        expect(publicOnly.refuseAddress(formatAddress(neighbour, 4))).toBeUndefined();
      }
    },
  );
});

function first(network: string, family: Family): string {
  return addressIn(network, family, 0);
}

function last(network: string, family: Family): string {
  return addressIn(network, family, 1);
}

function anywhere(network: string, family: Family): string {
  return addressIn(network, family, random.next());
}
