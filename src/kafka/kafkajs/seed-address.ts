import { isIPv6 } from 'node:net';

/**
 * Returns `host:port` in a form that kafkajs can read, for example `[::1]:9092` as `[--1]:9092`. It ends the host at the
 * first colon, and no host name has brackets. Only the addresses that a client is created with need this. Brokers report
 * host and port apart.
 */
export function seedAddress(broker: string): string {
  const [, address, port] = /^\[(.+)\]:(\d+)$/v.exec(broker) ?? [];
  return address === undefined ? broker : `[${address.replaceAll(':', '-')}]:${port}`;
}

/** Returns the host to connect to, for a host that kafkajs has read from a seed address or got from a broker. */
export function seedHost(host: string): string {
  const address = /^\[(.+)\]$/v.exec(host)?.[1]?.replaceAll('-', ':');
  return address !== undefined && isIPv6(address) ? address : host;
}
