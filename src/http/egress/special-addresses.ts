/** A block of addresses that no endpoint may have. */
export interface SpecialBlock {
  readonly network: string;
  /** The use of the block, in words that follow "the address is" in a message. */
  readonly purpose: string;
  readonly source: string;
  /**
   * The bits at which an IPv4 address may begin, to which a gateway leads connections. Of several, the one that the prefix of
   * the gateway has as its length (RFC 6052, 2.2).
   */
  readonly ipv4At?: readonly number[];
}

/**
 * IANA's IPv4 Special-Purpose Address Registry (RFC 6890, RFC 8190) as last updated on 2025-10-09:
 * https://www.iana.org/assignments/iana-ipv4-special-registry. Multicast and one address of a cloud are added.
 *
 * - Anycast services are included although the registry calls them globally reachable, because no endpoint uses them.
 * - Rows within another row are left out. The tests compare this list with all rows of the registry.
 */
export const specialIpv4Blocks: readonly SpecialBlock[] = [
  { network: '0.0.0.0/8', purpose: 'of this network', source: 'RFC 791, 3.2' },
  { network: '10.0.0.0/8', purpose: 'for private use', source: 'RFC 1918' },
  { network: '100.64.0.0/10', purpose: 'shared behind a carrier', source: 'RFC 6598' },
  { network: '127.0.0.0/8', purpose: 'a loopback address', source: 'RFC 1122, 3.2.1.3' },
  {
    network: '168.63.129.16/32',
    purpose: 'of the platform itself, reachable inside Azure only',
    source: 'Microsoft Azure',
  },
  { network: '169.254.0.0/16', purpose: 'link-local', source: 'RFC 3927' },
  { network: '172.16.0.0/12', purpose: 'for private use', source: 'RFC 1918' },
  { network: '192.0.0.0/24', purpose: 'for protocol assignments', source: 'RFC 6890, 2.1' },
  { network: '192.0.2.0/24', purpose: 'for documentation', source: 'RFC 5737' },
  { network: '192.31.196.0/24', purpose: 'an anycast sink of reverse DNS', source: 'RFC 7535' },
  { network: '192.52.193.0/24', purpose: 'an anycast multicast relay', source: 'RFC 7450' },
  { network: '192.88.99.0/24', purpose: 'a retired 6to4 relay', source: 'RFC 7526' },
  { network: '192.168.0.0/16', purpose: 'for private use', source: 'RFC 1918' },
  { network: '192.175.48.0/24', purpose: 'an anycast sink of reverse DNS', source: 'RFC 7534' },
  { network: '198.18.0.0/15', purpose: 'for benchmarks', source: 'RFC 2544' },
  { network: '198.51.100.0/24', purpose: 'for documentation', source: 'RFC 5737' },
  { network: '203.0.113.0/24', purpose: 'for documentation', source: 'RFC 5737' },
  { network: '224.0.0.0/4', purpose: 'for multicast', source: 'RFC 5771' },
  { network: '240.0.0.0/4', purpose: 'reserved', source: 'RFC 1112, 4' },
];

/** The only part of IPv6 from which unicast addresses are assigned (IANA's IPv6 Address Space registry, RFC 3513). */
export const globalIpv6Unicast = '2000::/3';

/**
 * IANA's IPv6 Special-Purpose Address Registry (RFC 6890, RFC 8190) as last updated on 2025-10-09:
 * https://www.iana.org/assignments/iana-ipv6-special-registry. Multicast and older forms of embedded IPv4 addresses are
 * added.
 *
 * - Addresses with an embedded one are refused even if globally reachable, because a gateway decides where they lead.
 * - Blocks outside 2000::/3 are refused anyway, and listed for the words in the message.
 */
export const specialIpv6Blocks: readonly SpecialBlock[] = [
  { network: '::/128', purpose: 'unspecified', source: 'RFC 4291, 2.5.2' },
  { network: '::1/128', purpose: 'a loopback address', source: 'RFC 4291, 2.5.3' },
  { network: '::/96', purpose: 'IPv4-compatible', source: 'RFC 4291, 2.5.5.1', ipv4At: [96] },
  { network: '::ffff:0:0/96', purpose: 'IPv4-mapped', source: 'RFC 4291, 2.5.5.2', ipv4At: [96] },
  { network: '::ffff:0:0:0/96', purpose: 'IPv4-translated', source: 'RFC 2765, 2.1', ipv4At: [96] },
  { network: '64:ff9b::/96', purpose: 'translated to IPv4', source: 'RFC 6052', ipv4At: [96] },
  { network: '64:ff9b:1::/48', purpose: 'translated to IPv4', source: 'RFC 8215', ipv4At: [48, 56, 64, 96] },
  { network: '100::/64', purpose: 'for discarding', source: 'RFC 6666' },
  { network: '100:0:0:1::/64', purpose: 'a dummy prefix', source: 'RFC 9780' },
  { network: '2001::/32', purpose: 'tunnelled over IPv4 (Teredo)', source: 'RFC 4380' },
  { network: '2001::/23', purpose: 'for protocol assignments', source: 'RFC 2928' },
  { network: '2001:db8::/32', purpose: 'for documentation', source: 'RFC 3849' },
  { network: '2002::/16', purpose: 'tunnelled over IPv4 (6to4)', source: 'RFC 3056', ipv4At: [16] },
  { network: '2620:4f:8000::/48', purpose: 'an anycast sink of reverse DNS', source: 'RFC 7534' },
  { network: '3fff::/20', purpose: 'for documentation', source: 'RFC 9637' },
  { network: '5f00::/16', purpose: 'for segment routing', source: 'RFC 9602' },
  { network: 'fc00::/7', purpose: 'unique-local', source: 'RFC 4193' },
  { network: 'fe80::/10', purpose: 'link-local', source: 'RFC 4291, 2.5.6' },
  { network: 'fec0::/10', purpose: 'site-local', source: 'RFC 3879' },
  { network: 'ff00::/8', purpose: 'for multicast', source: 'RFC 4291, 2.7' },
];
