import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../../src/deliveries/http/egress-policy.ts';
import { specialIpv4Blocks, specialIpv6Blocks } from '../../../src/deliveries/http/special-addresses.ts';
import { Random } from '../../simulation/random.ts';
import { addressIn, formatAddress, parseAddress, type Family } from './addresses.ts';
import { ipv4Registry, ipv6Registry } from './iana-registries.ts';

const publicOnly = createEgressPolicy({ allowedPorts: [], allowedNetworks: [] });
const random = new Random(6890);

const families = [
  {
    title: 'IPv4',
    family: 4,
    registry: ipv4Registry,
    rows: 26,
    blocks: specialIpv4Blocks,
    besides: ['168.63.129.16/32', '224.0.0.0/4'],
  },
  {
    title: 'IPv6',
    family: 6,
    registry: ipv6Registry,
    rows: 25,
    blocks: specialIpv6Blocks,
    besides: ['::/96', '::ffff:0:0:0/96', 'fec0::/10', 'ff00::/8'],
  },
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

describe.each(families)('our list of $title', ({ family, registry, rows, blocks, besides }) => {
  it('holds every row of the registry, as its own row or within a wider one', () => {
    const missing = registry.filter((row) => !blocks.some((block) => isWithin(row.network, block.network, family)));
    expect(missing).toEqual([]);
    expect(registry).toHaveLength(rows);
  });

  it('names the source that the registry names', () => {
    const lines = blocks.map((block) => ({ block, row: registry.find(({ network }) => network === block.network) }));
    const deviating = lines.filter(({ block, row }) => row !== undefined && rfcOf(block.source) !== rfcOf(row.source));
    expect(deviating).toEqual([]);
    expect(lines.filter(({ row }) => row === undefined).map(({ block }) => block.network)).toEqual(besides);
  });
});

/** These are anycast services and identifiers, which no endpoint uses. */
it('blocks that the registries call globally reachable are refused too', () => {
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

function isWithin(network: string, wider: string, family: Family): boolean {
  const isAbove = parseAddress(first(network, family)) >= parseAddress(first(wider, family));
  return isAbove && parseAddress(last(network, family)) <= parseAddress(last(wider, family));
}

/** Returns the first RFC. Our source may add a section, and the registry's a second document. */
function rfcOf(source: string): string | undefined {
  return /RFC \d+/.exec(source)?.[0];
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
