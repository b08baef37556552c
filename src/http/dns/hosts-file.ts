import { isIP } from 'node:net';

/** The addresses of `/etc/hosts` (hosts(5)) by lower-case name. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/** Skips lines that are no entries. */
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
