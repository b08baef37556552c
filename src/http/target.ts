import { isIP } from 'node:net';

export interface Target {
  /** A name or an address. IPv6 has no brackets. */
  readonly host: string;
  readonly port: number;
}

export function targetOf(origin: string): Target {
  const { protocol, hostname, port } = new URL(origin);
  const standardPort = protocol === 'http:' ? 80 : 443;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standardPort : Number(port) };
}

/** Returns host and port in the form of a `CONNECT` request (RFC 9110, 9.3.6). */
export function authorityOf({ host, port }: Target): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
