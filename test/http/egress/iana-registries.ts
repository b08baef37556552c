/** A row of one of IANA's special-purpose address registries (RFC 6890 with RFC 8190). */
interface RegistryRow {
  readonly network: string;
  readonly name: string;
}

/** All rows of https://www.iana.org/assignments/iana-ipv4-special-registry in order, last updated on 2025-10-09. */
export const ipv4Registry = rows(`
  0.0.0.0/8          | "This network"                           | RFC 791, 3.2     | False
  0.0.0.0/32         | "This host on this network"              | RFC 1122, 3.2.1.3 | False
  10.0.0.0/8         | Private-Use                              | RFC 1918         | False
  100.64.0.0/10      | Shared Address Space                     | RFC 6598         | False
  127.0.0.0/8        | Loopback                                 | RFC 1122, 3.2.1.3 | False
  169.254.0.0/16     | Link Local                               | RFC 3927         | False
  172.16.0.0/12      | Private-Use                              | RFC 1918         | False
  192.0.0.0/24       | IETF Protocol Assignments                | RFC 6890, 2.1    | False
  192.0.0.0/29       | IPv4 Service Continuity Prefix           | RFC 7335         | False
  192.0.0.8/32       | IPv4 dummy address                       | RFC 7600         | False
  192.0.0.9/32       | Port Control Protocol Anycast            | RFC 7723         | True
  192.0.0.10/32      | Traversal Using Relays around NAT Anycast | RFC 8155        | True
  192.0.0.170/32     | NAT64/DNS64 Discovery                    | RFC 8880; RFC 7050, 2.2 | False
  192.0.0.171/32     | NAT64/DNS64 Discovery                    | RFC 8880; RFC 7050, 2.2 | False
  192.0.2.0/24       | Documentation (TEST-NET-1)               | RFC 5737         | False
  192.31.196.0/24    | AS112-v4                                 | RFC 7535         | True
  192.52.193.0/24    | AMT                                      | RFC 7450         | True
  192.88.99.0/24     | Deprecated (6to4 Relay Anycast)          | RFC 7526         |
  192.88.99.2/32     | 6a44-relay anycast address               | RFC 6751         | False
  192.168.0.0/16     | Private-Use                              | RFC 1918         | False
  192.175.48.0/24    | Direct Delegation AS112 Service          | RFC 7534         | True
  198.18.0.0/15      | Benchmarking                             | RFC 2544         | False
  198.51.100.0/24    | Documentation (TEST-NET-2)               | RFC 5737         | False
  203.0.113.0/24     | Documentation (TEST-NET-3)               | RFC 5737         | False
  240.0.0.0/4        | Reserved                                 | RFC 1112, 4      | False
  255.255.255.255/32 | Limited Broadcast                        | RFC 8190; RFC 919, 7 | False
`);

/** All rows of https://www.iana.org/assignments/iana-ipv6-special-registry in order, last updated on 2025-10-09. */
export const ipv6Registry = rows(`
  ::1/128            | Loopback Address                         | RFC 4291         | False
  ::/128             | Unspecified Address                      | RFC 4291         | False
  ::ffff:0:0/96      | IPv4-mapped Address                      | RFC 4291         | False
  64:ff9b::/96       | IPv4-IPv6 Translat.                      | RFC 6052         | True
  64:ff9b:1::/48     | IPv4-IPv6 Translat.                      | RFC 8215         | False
  100::/64           | Discard-Only Address Block               | RFC 6666         | False
  100:0:0:1::/64     | Dummy IPv6 Prefix                        | RFC 9780         | False
  2001::/23          | IETF Protocol Assignments                | RFC 2928         | False
  2001::/32          | TEREDO                                   | RFC 4380; RFC 8190 | N/A
  2001:1::1/128      | Port Control Protocol Anycast            | RFC 7723         | True
  2001:1::2/128      | Traversal Using Relays around NAT Anycast | RFC 8155        | True
  2001:1::3/128      | DNS-SD Service Registration Protocol Anycast | RFC 9665     | True
  2001:2::/48        | Benchmarking                             | RFC 5180; RFC Errata 1752 | False
  2001:3::/32        | AMT                                      | RFC 7450         | True
  2001:4:112::/48    | AS112-v6                                 | RFC 7535         | True
  2001:10::/28       | Deprecated (previously ORCHID)           | RFC 4843         |
  2001:20::/28       | ORCHIDv2                                 | RFC 7343         | True
  2001:30::/28       | Drone Remote ID Protocol Entity Tags (DETs) Prefix | RFC 9374 | True
  2001:db8::/32      | Documentation                            | RFC 3849         | False
  2002::/16          | 6to4                                     | RFC 3056         | N/A
  2620:4f:8000::/48  | Direct Delegation AS112 Service          | RFC 7534         | True
  3fff::/20          | Documentation                            | RFC 9637         | False
  5f00::/16          | Segment Routing (SRv6) SIDs              | RFC 9602         | False
  fc00::/7           | Unique-Local                             | RFC 4193; RFC 8190 | False
  fe80::/10          | Link-Local Unicast                       | RFC 4291         | False
`);

function rows(table: string): readonly RegistryRow[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([network = '', name = '']) => ({ network, name }));
}
