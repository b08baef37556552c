import { isIP, type Socket } from 'node:net';
import { unlessAborted } from '../lib/aborted.ts';
import type { Secret } from '../lib/secret.ts';
import type { Route } from './connector.ts';
import type { RouteSteps } from './direct-route.ts';
import type { EgressPolicy } from './egress/egress-policy.ts';
import { maxExchangeBytes } from './tls/received-bytes.ts';
import { BlockedError, CodedError } from './request-error.ts';
import { type Target, targetOf, authorityOf } from './target.ts';
import type { Duplex } from 'node:stream';
import { parseHead, UnfinishedHead } from './response/response-head.ts';

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
    const tunnel = await dialProxy(proxy, { resolve, ...dialers }, signal);
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
  { resolve, dialTcp, dialTls }: Omit<RouteSteps, 'policy'>,
  signal: AbortSignal,
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

interface TunnelOptions {
  readonly target: Target;
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
}

/**
 * Asks the proxy at the other end of the socket for a tunnel. Resolves once the socket leads to the target. Rejects when the
 * proxy refuses or fails, or when the socket is destroyed. The caller closes the socket.
 */
async function openTunnel(socket: Duplex, { target, authorization }: TunnelOptions): Promise<void> {
  const authority = authorityOf(target);
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
  const { status, text } = await readAnswer(socket);
  // A proxy that wants credentials names a scheme for them. Without a scheme, 407 means that it refuses the host.
  if (status === 407 && /\nproxy-authenticate *:/i.test(text)) {
    throw new CodedError(authorization === undefined ? 'PROXY_WANTS_CREDENTIALS' : 'PROXY_REFUSES_CREDENTIALS');
  }
  if (status < 200 || status > 299) throw new CodedError(`HTTP_${status}`);
}

/** The limit of what the proxy may send before its answer is whole. */
const maxAnswerBytes = 16 * 1024;

interface ProxyAnswer {
  readonly status: number;
  readonly text: string;
}

/** Resolves to the head of the proxy's answer, behind interim ones. Rejects if the proxy sends anything else. */
async function readAnswer(socket: Duplex): Promise<ProxyAnswer> {
  const answer = Promise.withResolvers<ProxyAnswer>();
  const unfinished = new UnfinishedHead();
  let bytes = 0;
  const read = (): void => {
    for (let chunk: unknown = socket.read(); chunk instanceof Buffer; chunk = socket.read()) {
      bytes += chunk.length;
      unfinished.append(chunk);
      const found = bytes > maxAnswerBytes ? new CodedError('TOO_MANY_BYTES') : takeAnswer(unfinished);
      if (found instanceof CodedError) answer.reject(found);
      else if (found !== undefined) answer.resolve(found);
    }
  };
  const fail = (error: unknown): void => answer.reject(error);
  const end = (): void => answer.reject(new CodedError('PROXY_CLOSED'));
  socket.on('readable', read).on('error', fail).on('end', end).on('close', end);
  try {
    return await answer.promise;
  } finally {
    socket.off('readable', read).off('error', fail).off('end', end).off('close', end);
  }
}

function takeAnswer(unfinished: UnfinishedHead): ProxyAnswer | CodedError | undefined {
  if (!unfinished.mayBeResponse) return new CodedError('NO_STATUS_LINE');
  const text = unfinished.head();
  if (text === undefined) return undefined;
  unfinished.drop(text.length);
  const head = parseHead(text);
  if (head.kind === 'refused') return new CodedError(head.fault);
  if (head.status < 200) return takeAnswer(unfinished);
  // In TLS the client sends first, so bytes behind the answer are not from the endpoint.
  const isFollowed = head.status < 300 && unfinished.bytes.length > 0;
  return isFollowed ? new CodedError('PROXY_SPEAKS_FIRST') : { status: head.status, text };
}
