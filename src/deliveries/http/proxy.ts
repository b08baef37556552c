import type { Secret } from '../../lib/secret.ts';
import { targetOf, type Target } from './target.ts';

/** An HTTP proxy that opens tunnels. */
export interface Proxy {
  readonly target: Target;
  /** Whether it is spoken to over TLS, as `https:` says. */
  readonly isSecure: boolean;
  /** The value of `Proxy-Authorization`; undefined when the URL names nobody. */
  readonly authorization: string | undefined;
}

/** From an `http:` or `https:` URL. */
export function parseProxy(url: Secret): Proxy {
  const { protocol, origin, username, password } = new URL(url.reveal());
  return {
    target: targetOf(origin),
    isSecure: protocol === 'https:',
    authorization: username === '' && password === '' ? undefined : basic(username, password),
  };
}

/** For people: without the credentials. */
export function proxyOrigin(url: Secret): string {
  return new URL(url.reveal()).origin;
}

/** RFC 7617, of what a URL carries: ASCII, and everything else percent-encoded. */
function basic(username: string, password: string): string {
  const credentials = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (_encoded, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return `Basic ${Buffer.from(credentials, 'latin1').toString('base64')}`;
}
