import { isIP, type Socket } from 'node:net';
import { unlessAborted } from '../lib/aborted.ts';
import type { Secret } from '../lib/secret.ts';
import type { Route } from './connector.ts';
import type { RouteSteps } from './direct-route.ts';
import type { EgressPolicy } from './egress/egress-policy.ts';
import { maxExchangeBytes } from './tls/received-bytes.ts';
import { BlockedError } from './request-error.ts';
import { type Target, targetOf } from './target.ts';
import { openTunnel } from './tunnel.ts';

interface ProxyRouteOptions extends RouteSteps {
  readonly proxyUrl: () => Promise<Secret>;
}

/**
 * Creates a route through a proxy's tunnel, with TLS to the endpoint inside it. The proxy resolves the endpoint's name.
 * The policy is for endpoints alone, because the proxy itself may have a private address.
 */
export function createProxyRoute({ proxyUrl, policy, resolve, ...dialers }: ProxyRouteOptions): Route {
  return async (target, { signal, onPhase }) => {
    assertAllowed(target, policy);
    onPhase('proxy');
    const proxy = parseProxy(await unlessAborted(signal, proxyUrl()));
    const tunnel = await dialProxy(proxy, { resolve, ...dialers, signal });
    try {
      onPhase('tunnel');
      await unlessAborted(signal, openTunnel(tunnel, { target, authorization: proxy.authorization }));
      onPhase('handshake');
      // The TLS socket closes the tunnel from here on.
      return await dialers.dialTls({ target, transport: tunnel, maxBytes: maxExchangeBytes, signal });
    } catch (error) {
      tunnel.destroy();
      throw error;
    }
  };
}

/** Checks the part of the policy that needs no name lookup: the port, and a literal address. */
function assertAllowed({ host, port }: Target, policy: EgressPolicy): void {
  const refused = policy.refusePort(port) ?? (isIP(host) === 0 ? undefined : policy.refuseAddress(host));
  if (refused !== undefined) throw new BlockedError(refused);
}

async function dialProxy(
  { target, isSecure }: Proxy,
  {
    resolve,
    dialTcp,
    dialTls,
    signal,
  }: Pick<ProxyRouteOptions, 'resolve' | 'dialTcp' | 'dialTls'> & { readonly signal: AbortSignal },
): Promise<Socket> {
  const addresses = await unlessAborted(signal, resolve(target.host));
  const transport = await dialTcp({ addresses, port: target.port, signal });
  if (!isSecure) return transport;
  // A proxy is ours, and carries many exchanges.
  return (await dialTls({ target, transport, maxBytes: Number.POSITIVE_INFINITY, signal })).socket;
}

interface Proxy {
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
