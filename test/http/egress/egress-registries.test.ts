import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../../src/http/egress/egress-policy.ts';
import { specialIpv4Blocks, specialIpv6Blocks } from '../../../src/http/egress/special-addresses.ts';
import { Random } from '../../simulation/random.ts';
import { addressIn, parseAddress, type Family } from '../addresses.ts';
import { ipv4Registry, ipv6Registry } from './iana-registries.ts';

const publicOnly = createEgressPolicy({ allowedPorts: [], allowedNetworks: [] });
const random = new Random(6890);

const families = [
  { title: 'IPv4', family: 4, registry: ipv4Registry, rows: 26, blocks: specialIpv4Blocks },
  { title: 'IPv6', family: 6, registry: ipv6Registry, rows: 25, blocks: specialIpv6Blocks },
] as const;

describe.each(families)("in IANA's special-purpose registry of $title, every block is refused:", (one) => {
  it.each(one.registry.map((row) => [row.network, row.name]))('%s, %s', (network) => {
    const addresses = [first, last, ...Array.from({ length: 50 }, () => anywhere)].map((where) =>
      where(network, one.family),
    );
    const reached = addresses.filter((address) => publicOnly.refuseAddress(address) === undefined);
    expect(reached).toEqual([]);
  });
});

describe.each(families)('our list of $title', ({ family, registry, rows, blocks }) => {
  it('holds every row of the registry, as its own row or within a wider one', () => {
    const missing = registry.filter((row) => !blocks.some((block) => isWithin(row.network, block.network, family)));
    expect(missing).toEqual([]);
    expect(registry).toHaveLength(rows);
  });
});

function isWithin(network: string, wider: string, family: Family): boolean {
  const isAbove = parseAddress(first(network, family)) >= parseAddress(first(wider, family));
  return isAbove && parseAddress(last(network, family)) <= parseAddress(last(wider, family));
}

function first(network: string, family: Family): string {
  return addressIn(network, family, 0);
}

function last(network: string, family: Family): string {
  return addressIn(network, family, 1);
}

function anywhere(network: string, family: Family): string {
  return addressIn(network, family, random.next());
}
