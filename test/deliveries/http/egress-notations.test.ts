import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEgressPolicy } from '../../../src/deliveries/http/egress-policy.ts';
import { targetOf } from '../../../src/deliveries/http/target.ts';
import { addressIn, formatAddress, parseAddress } from './addresses.ts';
import { ipv4Registry, ipv6Registry } from './iana-registries.ts';

const publicOnly = createEgressPolicy({ allowedPorts: [], allowedNetworks: [] });

/** Returns the policy's answer for the address that the client would connect to for this host in a URL. */
function verdictOn(host: string): string | undefined {
  return publicOnly.refuseAddress(targetOf(`https://${host}:8443/`).host);
}

const part = fc.double({ min: 0, max: 1, noNaN: true });
const special = (registry: typeof ipv4Registry, family: 4 | 6): fc.Arbitrary<bigint> =>
  fc
    .tuple(fc.constantFrom(...registry), part)
    .map(([{ network }, where]) => parseAddress(addressIn(network, family, where)));

const specialIpv4 = special(ipv4Registry, 4);
const specialIpv6 = special(ipv6Registry, 6);
const anyIpv4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n });

/** The runs of each of the four properties: 20,000 notations in all. */
const runs = { numRuns: 5000 };

describe('in any notation in a URL', () => {
  it('a special address is refused: IPv4', () => {
    const written = fc.tuple(specialIpv4, fc.constantFrom(...ipv4Notations), fc.nat());
    fc.assert(
      fc.property(written, ([address, write, chance]) => {
        expect(verdictOn(write(address, chance))).toBeDefined();
      }),
      runs,
    );
  });

  it('a special address is refused: IPv6', () => {
    const written = fc.tuple(specialIpv6, fc.constantFrom(...ipv6Notations), fc.nat());
    fc.assert(
      fc.property(written, ([address, write, chance]) => {
        expect(verdictOn(write(address, chance))).toBeDefined();
      }),
      runs,
    );
  });

  it('a public address is the same one', () => {
    const written = fc.tuple(anyIpv4, fc.constantFrom(...ipv4Notations), fc.nat());
    fc.assert(
      fc.property(written, ([address, write, chance]) => {
        expect(verdictOn(write(address, chance))).toBe(publicOnly.refuseAddress(formatAddress(address, 4)));
      }),
      runs,
    );
  });

  it('no IPv4 address is reached through an IPv6 one', () => {
    const written = fc.tuple(anyIpv4, fc.constantFrom(...embeddings), fc.constantFrom(...ipv6Notations), fc.nat());
    fc.assert(
      fc.property(written, ([address, embed, write, chance]) => {
        expect(verdictOn(write(embed(address), chance))).toBeDefined();
      }),
      runs,
    );
  });
});

type Notation = (address: bigint, chance: number) => string;

/**
 * Notations that the WHATWG parser accepts: one to four parts, each decimal, octal or hexadecimal, and equivalent
 * characters.
 */
const ipv4Notations: readonly Notation[] = [
  (address) => formatAddress(address, 4),
  (address, chance) => inParts(address, 1, chance),
  (address, chance) => inParts(address, 2, chance),
  (address, chance) => inParts(address, 3, chance),
  (address, chance) => inParts(address, 4, chance),
  (address, chance) => `${inParts(address, 4, chance)}.`,
  (address, chance) => inParts(address, 4, chance).replaceAll('.', '。'),
  (address, chance) => inParts(address, 4, chance).replaceAll('.', '%2e'),
  (address) => formatAddress(address, 4).replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (address) => formatAddress(address, 4).replaceAll(/\d/g, (digit) => `%3${digit}`),
];

/** Writes the address in that many parts. The last part holds all remaining bytes. */
function inParts(address: bigint, count: number, chance: number): string {
  const leading = formatAddress(address, 4)
    .split('.')
    .slice(0, count - 1)
    .map(BigInt);
  const remaining = address % 256n ** BigInt(5 - count);
  return [...leading, remaining].map((one, index) => inBase(one, chance >> (2 * index))).join('.');
}

function inBase(value: bigint, chance: number): string {
  switch (chance % 4) {
    case 0:
      return `0x${value.toString(16)}`;
    case 1:
      return `0X000${value.toString(16).toUpperCase()}`;
    case 2:
      return `0${value.toString(8)}`;
    default:
      return String(value);
  }
}

const ipv6Notations: readonly Notation[] = [
  (address) => `[${formatAddress(address, 6)}]`,
  (address) => `[${formatAddress(address, 6).toUpperCase()}]`,
  (address) => `[${groups(address).join(':')}]`,
  (address, chance) => `[${shortened(address, chance)}]`,
  (address) => `[${groups(address).slice(0, 6).join(':')}:${formatAddress(address % 2n ** 32n, 4)}]`,
];

/** Returns the groups of an address, four digits each. */
function groups(address: bigint): readonly string[] {
  return formatAddress(address, 6)
    .split(':')
    .map((group) => group.padStart(4, '0'));
}

/** Replaces one run of zeros by `::`, chosen by `chance` if there are several. */
function shortened(address: bigint, chance: number): string {
  const full = formatAddress(address, 6);
  const zeros = [...full.matchAll(/(?:^|:)0(?::0)*(?=:|$)/g)];
  const chosen = zeros[chance % Math.max(zeros.length, 1)];
  if (chosen === undefined) return full;
  const end = full.slice(chosen.index + chosen[0].length).replace(/^:/, '');
  return `${full.slice(0, chosen.index)}::${end}`;
}

const embeddings: readonly ((address: bigint) => bigint)[] = [
  (address) => parseAddress('::ffff:0:0') + address,
  (address) => address,
  (address) => parseAddress('::ffff:0:0:0') + address,
  (address) => parseAddress('64:ff9b::') + address,
  (address) => parseAddress('64:ff9b:1::') + address,
  (address) => parseAddress('2002::') + (address << 80n),
  // Teredo holds the server's address in clear, and the client's address with all bits inverted.
  (address) => parseAddress('2001::') + (address << 64n),
  (address) => parseAddress('2001:0:4136:e378:8000:63bf::') + (address ^ (2n ** 32n - 1n)),
];
