import type { Secret } from '../lib/secret.ts';
import { targetOf, type Target } from './target.ts';

/** An HTTP proxy that opens tunnels. */
export interface Proxy {
  readonly target: Target;
  /** True for an `https:` URL: the connection to the proxy uses TLS. */
  readonly isSecure: boolean;
  /** The value of `Proxy-Authorization`; undefined when the URL has no credentials. */
  readonly authorization: string | undefined;
}

/** Parses an `http:` or `https:` URL. */
export function parseProxy(url: Secret): Proxy {
  const { protocol, origin, username, password } = new URL(url.reveal());
  return {
    target: targetOf(origin),
    isSecure: protocol === 'https:',
    authorization: username === '' && password === '' ? undefined : basic(username, password),
  };
}

/** Returns the URL without its credentials, for logs. */
export function proxyOrigin(url: Secret): string {
  return new URL(url.reveal()).origin;
}

/** Returns the header of RFC 7617 for credentials from a URL, where all but ASCII is percent-encoded. */
function basic(username: string, password: string): string {
  const credentials = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (_encoded, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return `Basic ${Buffer.from(credentials, 'latin1').toString('base64')}`;
}
