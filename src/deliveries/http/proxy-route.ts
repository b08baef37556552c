import { isIP, type Socket } from 'node:net';
import { unlessAborted } from '../../lib/aborted.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Route } from './connector.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { parseProxy, type Proxy } from './proxy.ts';
import { maxExchangeBytes } from './tls/received-bytes.ts';
import { BlockedError } from './request-error.ts';
import type { Resolve } from './dns/resolver.ts';
import type { Target } from './target.ts';
import type { DialTcp } from './tcp-dialer.ts';
import type { DialTls } from './tls/tls-dialer.ts';
import { openTunnel } from './tunnel.ts';

interface ProxyRouteOptions {
  readonly proxyUrl: () => Promise<Secret>;
  /** The policy for endpoints. The proxy itself may have a private address. */
  readonly policy: EgressPolicy;
  /** Resolves the name of the proxy. */
  readonly resolve: Resolve;
  readonly dialTcp: DialTcp;
  readonly dialTls: DialTls;
}

/**
 * Creates a route through a proxy's tunnel, with TLS to the endpoint inside it. The proxy resolves the endpoint's name.
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
