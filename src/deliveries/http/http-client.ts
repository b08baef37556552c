import { SwapList } from '../../lib/swap-list.ts';
import { systemClock, type Clock } from '../../lib/clock.ts';
import type { PortRange } from '../../lib/port-range.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Sender } from '../attempts.ts';
import { ConnectionPool, type ConnectionPoolState } from './connection-pool.ts';
import { createConnector, type Route } from './connector.ts';
import { createDirectRoute } from './direct-route.ts';
import { createEgressPolicy } from './egress-policy.ts';
import { Exchange } from './exchange.ts';
import { createOwnAddresses } from './own-addresses.ts';
import { createProxyRoute } from './proxy-route.ts';
import { Resolver, type Resolve } from './dns/resolver.ts';
import { createSystemResolve } from './dns/system-resolve.ts';
import { createTlsDialer } from './tls-dialer.ts';

/** Sends requests to endpoints over HTTPS. Disposing it cuts what is under way and closes every connection. */
export interface HttpClient extends Sender, AsyncDisposable {
  state(): ConnectionPoolState;
}

export interface HttpClientOptions {
  /** Over lookup, connection, TLS, request and response head. */
  readonly timeoutMs: number;
  /** Over lookup, connection and TLS. */
  readonly connectTimeoutMs: number;
  /** In the whole process. */
  readonly maxIdleConnections: number;
  readonly allowedPorts: readonly PortRange[];
  /** CIDRs reachable although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** PEMs trusted besides the public ones. */
  readonly certificateAuthorities: readonly string[];
  /** Of the proxy that every connection goes through, asked for at each; endpoints are dialled directly when left out. */
  readonly proxyUrl?: (() => Promise<Secret>) | undefined;
  readonly events: HttpClientEvents;
  readonly clock?: Clock;
  /** Names into addresses, which the policy then filters; those of the system when left out. */
  readonly resolve?: Resolve;
}

interface HttpClientEvents {
  connectionOpened(opened: { readonly resumed: boolean }): void;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timeoutMs, events, clock = systemClock } = options;
  const resolver = new Resolver({ clock });
  const connections = new ConnectionPool({
    connect: createConnector({
      connectTimeoutMs: options.connectTimeoutMs,
      route: createRoute(options, { resolve: options.resolve ?? ((name) => resolver.resolve(name)), clock }),
      clock,
    }),
    maxIdle: options.maxIdleConnections,
    clock,
    onOpened: (opened) => events.connectionOpened(opened),
  });
  const underWay = new SwapList<Exchange>();
  let disposed = false;
  return {
    send(request) {
      if (disposed) return { outcome: Promise.resolve({ kind: 'draining' }), abort: () => undefined };
      const exchange = new Exchange({ request, pool: connections, timeoutMs, clock });
      const place = underWay.add(exchange);
      void exchange.finished.then(() => underWay.delete(place));
      return exchange;
    },
    state: () => connections.state,
    async [Symbol.asyncDispose]() {
      disposed = true;
      const last = [...underWay];
      for (const exchange of last) exchange.abort();
      await Promise.all(last.map(({ finished: over }) => over));
      await connections[Symbol.asyncDispose]();
      await resolver[Symbol.asyncDispose]();
    },
  };
}

function createRoute(
  { proxyUrl, ...options }: HttpClientOptions,
  { resolve, clock }: { readonly resolve: Resolve; readonly clock: Clock },
): Route {
  const dialTls = createTlsDialer({ certificateAuthorities: options.certificateAuthorities, clock });
  const policy = createEgressPolicy({ ...options, ownAddresses: createOwnAddresses(clock) });
  if (proxyUrl === undefined) return createDirectRoute({ policy, resolve, dialTls });
  return createProxyRoute({ proxyUrl, policy, resolve: createSystemResolve(clock), dialTls });
}
