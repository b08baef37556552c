import type { InFlight, PreparedRequest, RequestListener } from '../../src/deliveries/request.ts';
import { vi } from 'vitest';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../src/http/http-client.ts';
import type { RequestOutcome } from '../../src/deliveries/outcome.ts';
import type { Route } from '../../src/http/connector.ts';
import { createDirectRoute } from '../../src/http/direct-route.ts';
import { createTcpDialer } from '../../src/http/tcp-dialer.ts';
import { createTlsDialer } from '../../src/http/tls/tls-dialer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { startEndpoint, type Endpoint } from '../support/endpoints/endpoint.ts';
import { hungAfterMs } from '../support/time/eventually.ts';
import { createAuthority } from '../support/tls/authority.ts';

/** The authority that clients under test trust. */
export const authority = createAuthority();

/** Names that resolve to this machine. */
export const hosts = ['a.test', 'b.test', 'c.test'] as const;
export const identity = authority.issue({ names: [...hosts, '127.0.0.1'] });

/** Options of a client that reaches all of this machine, and times out only where a test wants it. */
export const patientOptions = {
  timeoutMs: 90_000,
  connectTimeoutMs: 60_000,
  maxIdleConnections: 10,
  allowedPorts: [{ first: 1, last: 65_535 }],
  allowedNetworks: ['127.0.0.0/8'],
  certificateAuthorities: [authority.certificate],
};

export const delivered = { kind: 'delivered', status: 200 };

/** The interval and the timeout, in ms, with which a test polls for effects that follow the outcome. */
export const patience = { interval: 1, timeout: hungAfterMs };

/** The questions that the client asks before it writes a request. */
type Asked = Pick<RequestListener, 'holdMs' | 'stillOwned'>;

interface SentRequest extends InFlight {
  readonly outcome: Promise<RequestOutcome>;
}

/** An HTTP client for endpoints on this machine. Records the connections that it opened. */
export class ClientUnderTest implements AsyncDisposable {
  readonly client: HttpClient;
  /** One entry for each connection: true if it resumed a TLS session. */
  readonly opened: boolean[] = [];
  /** The number of addresses that were left out of the answers of name servers. */
  addressesDropped = 0;

  /** The limits that endpoints have exceeded. */
  readonly cut: string[] = [];
  /** How handshakes without an answer ended. */
  readonly unanswered: string[] = [];
  /** The number of endpoints that exceeded a limit after their 2xx. */
  exceeded = 0;

  /** The port of requests that name none. */
  readonly #port: number;

  constructor(options: Partial<HttpClientOptions> = {}, port = 443) {
    this.#port = port;
    this.client = createHttpClient({
      ...patientOptions,
      resolve: () => Promise.resolve(['127.0.0.1']),
      events: {
        connectionOpened: ({ resumed }) => void this.opened.push(resumed),
        addressesDropped: ({ count }) => void (this.addressesDropped += count),
        connectionCut: ({ limit }) => void this.cut.push(limit),
        handshakeUnanswered: ({ end }) => void this.unanswered.push(end),
      },
      ...options,
    });
  }

  send(to: RequestOptions = {}, asked: Asked = {}): SentRequest {
    return sendWith(this.client, aRequest({ port: this.#port, ...to }), () => void (this.exceeded += 1), asked);
  }

  outcome(to: RequestOptions = {}): Promise<RequestOutcome> {
    return this.send(to).outcome;
  }

  /** Resolves once that many connections are idle. The end of a response may come after the outcome. */
  async idle(count: number): Promise<void> {
    await vi.waitUntil(() => this.client.state().idle === count, patience);
  }

  /** Resolves once that many connections are open. */
  async open(count: number): Promise<void> {
    await vi.waitUntil(() => this.client.state().open === count, patience);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.client[Symbol.asyncDispose]();
  }
}

/** A client whose requests go to one endpoint, unless they name another port. */
class ClientWithEndpoint extends ClientUnderTest {
  readonly endpoint: Endpoint;

  constructor(endpoint: Endpoint, options: Partial<HttpClientOptions>) {
    super(options, endpoint.port);
    this.endpoint = endpoint;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.endpoint[Symbol.asyncDispose]();
  }
}

/** Starts an endpoint, and a client for it. */
export async function startPair(
  options: Partial<HttpClientOptions & Parameters<typeof startEndpoint>[0]> = {},
): Promise<ClientWithEndpoint> {
  return new ClientWithEndpoint(await startEndpoint({ identity, ...options }), options);
}

/** Builds a route without a policy to endpoints of this machine. */
export function directRoute(steps: Partial<Parameters<typeof createDirectRoute>[0]> = {}): Route {
  return createDirectRoute({
    policy: { refusePort: () => undefined, refuseAddress: () => undefined },
    resolve: () => Promise.resolve(['127.0.0.1']),
    dialTcp: createTcpDialer(systemClock),
    dialTls: dialTlsOfTests,
    ...steps,
  });
}

export const dialTlsOfTests = createTlsDialer({
  certificateAuthorities: [authority.certificate],
  clock: systemClock,
  onExceeded: () => undefined,
});

/** Sends a request. Resolves to its outcome as `outcome`. */
export function sendWith(
  client: HttpClient,
  request: PreparedRequest,
  onExceeded = (): void => undefined,
  asked: Asked = {},
): SentRequest {
  const { promise: outcome, resolve: onOutcome } = Promise.withResolvers<RequestOutcome>();
  const inFlight = client.send(request, { onOutcome, onExceeded, ...asked });
  return { outcome, abort: () => inFlight.abort() };
}

interface RequestOptions {
  readonly port?: number;
  readonly host?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly extraHeaders?: readonly string[];
  readonly body?: Buffer;
}

function aRequest(to: RequestOptions): PreparedRequest {
  const { port, host = 'a.test', path = '/hook', headers = ['Content-Type', 'application/json'] } = to;
  return {
    head: { origin: `https://${host}:${port}`, path, headers },
    extraHeaders: to.extraHeaders ?? [],
    body: to.body ?? Buffer.from('{}'),
  };
}
