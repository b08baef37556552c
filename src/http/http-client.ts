import type { Sender } from '../deliveries/request.ts';
import { SwapList } from '../lib/swap-list.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { Deadlines } from '../lib/deadlines.ts';
import type { PortRange } from '../lib/port-range.ts';
import type { Secret } from '../lib/secret.ts';
import { AddressHistory, type UnansweredEnd } from './address-history.ts';
import { ConnectionPool, type ConnectionPoolState } from './connection-pool.ts';
import { createConnector, type Connect, type Route } from './connector.ts';
import { createDirectRoute, type RouteSteps } from './direct-route.ts';
import { createEgressPolicy, type EgressPolicy, createOwnAddresses } from './egress/egress-policy.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import { createProxyRoute } from './proxy-route.ts';
import type { FindServers } from './dns/name-server.ts';
import { Resolver, type Resolve } from './dns/resolver.ts';
import { createSystemResolve } from './dns/system-resolve.ts';
import { createTcpDialer } from './tcp-dialer.ts';
import type { ReceiveLimit } from './tls/received-bytes.ts';
import { createTlsDialer } from './tls/tls-dialer.ts';

/** Sends requests to endpoints over HTTPS. Disposal aborts the requests in flight and closes every connection. */
export interface HttpClient extends Sender, AsyncDisposable {
  state(): ConnectionPoolState;
  /** Returns the end of the certificate that the origin showed last, in epoch milliseconds. */
  certificateEnd(origin: string): number | undefined;
}

export interface HttpClientOptions extends EgressOptions {
  /** The timeout of lookup, connection, TLS, request and response head together. */
  readonly timeoutMs: number;
  /** The limit for the whole process. */
  readonly maxIdleConnections: number;
  /** An egress that the client shares with others and leaves open. Without one it creates its own. */
  readonly egress?: Egress | undefined;
}

export interface EgressOptions {
  /** The timeout of lookup, connection and TLS together. */
  readonly connectTimeoutMs: number;
  readonly allowedPorts: readonly PortRange[];
  /** CIDRs that are allowed although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** CIDRs that are refused although they are public or allowed. */
  readonly deniedNetworks?: readonly string[] | undefined;
  /** PEMs that are trusted besides the public authorities. */
  readonly certificateAuthorities: readonly string[];
  /**
   * Returns the URL of the proxy for all connections. Called for each of them. Without it endpoints are dialled
   * directly.
   */
  readonly proxyUrl?: (() => Promise<Secret>) | undefined;
  readonly events: HttpClientEvents;
  readonly clock?: Clock;
  /** Resolves names to addresses, which the policy then filters. By default a `Resolver` does. */
  readonly resolve?: Resolve | undefined;
  /** Returns the name servers to ask; by default those of the system. */
  readonly findServers?: FindServers | undefined;
  /** The file with the search domains of the system. Only read if there are allowed networks. */
  readonly searchFile?: string;
  /** Wraps the steps with which connections are opened, to observe them. Called once, when the client is created. */
  readonly wrapSteps?: WrapSteps | undefined;
}

export type WrapSteps = (steps: RouteSteps) => RouteSteps;

export interface HttpClientEvents {
  connectionOpened(opened: { readonly resumed: boolean }): void;
  /** A name led to more addresses than are taken. */
  addressesDropped(dropped: { readonly count: number }): void;
  /** A connection was closed because its endpoint sent more than it may. */
  connectionCut(cut: { readonly limit: ReceiveLimit }): void;
  /** A handshake ended before the endpoint had sent a byte. */
  handshakeUnanswered(unanswered: { readonly end: UnansweredEnd }): void;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { timeoutMs, events, clock = systemClock } = options;
  const egress = options.egress ?? createEgress(options);
  const pool = new ConnectionPool({
    connect: egress.connect,
    maxIdle: options.maxIdleConnections,
    clock,
    onOpened: (opened) => events.connectionOpened(opened),
  });
  const running = new SwapList<Exchange>();
  const deadlines = new Deadlines(timeoutMs, clock);
  const context: ExchangeContext = { pool, deadlines, timeoutMs, running, clock };
  let disposed = false;
  return {
    send(request, listener) {
      if (!disposed) return new Exchange(request, listener, context);
      queueMicrotask(() => listener.onOutcome({ kind: 'draining' }));
      return { abort: () => undefined };
    },
    state: () => pool.state,
    certificateEnd: (origin) => pool.certificateEnd(origin),
    async [Symbol.asyncDispose]() {
      disposed = true;
      const remaining = [...running];
      for (const exchange of remaining) exchange.abort();
      await Promise.all(remaining.map(({ finished: over }) => over));
      await pool[Symbol.asyncDispose]();
      if (options.egress === undefined) await egress[Symbol.asyncDispose]();
    },
  };
}

/** The way to endpoints. Disposal fails the name lookups in flight, and leaves open connections to their owners. */
export interface Egress extends AsyncDisposable {
  readonly connect: Connect;
}

export function createEgress(options: EgressOptions): Egress {
  const { connectTimeoutMs, events, clock = systemClock } = options;
  const policy = createEgressPolicy({ ...options, ownAddresses: createOwnAddresses(clock) });
  const resolver = new Resolver({
    clock,
    findServers: options.findServers,
    // A name of the machine's own domains leads to private networks.
    searchFile: options.allowedNetworks.length === 0 ? undefined : (options.searchFile ?? '/etc/resolv.conf'),
    isAllowed: (address) => policy.refuseAddress(address) === undefined,
    onDropped: (count) => events.addressesDropped({ count }),
  });
  const resolve = options.resolve ?? resolver.resolve.bind(resolver);
  const route = createRoute(options, { policy, resolve, clock });
  return {
    connect: createConnector({ connectTimeoutMs, route, clock }),
    [Symbol.asyncDispose]: () => resolver[Symbol.asyncDispose](),
  };
}

function createRoute(
  { proxyUrl, certificateAuthorities, events, wrapSteps = (steps) => steps }: EgressOptions,
  { policy, resolve, clock }: { readonly policy: EgressPolicy; readonly resolve: Resolve; readonly clock: Clock },
): Route {
  const history = new AddressHistory(Math.random);
  const steps = wrapSteps({
    policy,
    resolve: proxyUrl === undefined ? resolve : createSystemResolve(clock),
    dialTcp: createTcpDialer(clock, Math.random, history),
    dialTls: createTlsDialer({
      certificateAuthorities,
      clock,
      history,
      onExceeded: (limit) => events.connectionCut({ limit }),
      onUnanswered: (end) => events.handshakeUnanswered({ end }),
    }),
  });
  return proxyUrl === undefined ? createDirectRoute(steps) : createProxyRoute({ ...steps, proxyUrl });
}
