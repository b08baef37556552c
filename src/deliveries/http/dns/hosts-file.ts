import { isIP } from 'node:net';

/** Addresses by lower-case name, as `/etc/hosts` has them (hosts(5)). What is no entry is skipped. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

export function parseHosts(text: string): Hosts {
  const hosts = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((word) => word.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}
