import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { unlessAborted } from '../lib/aborted.ts';
import type { Route } from './connector.ts';
import type { EgressPolicy } from './egress/egress-policy.ts';
import { BlockedError, CodedError } from './request-error.ts';
import { maxExchangeBytes } from './tls/received-bytes.ts';
import type { Resolve } from './dns/resolver.ts';
import type { Target } from './target.ts';
import type { DialTcp, TcpDial } from './tcp-dialer.ts';
import type { DialTls } from './tls/tls-dialer.ts';

/** The steps of a route, and the policy for endpoints. A caller may wrap them to observe each connection. */
export interface RouteSteps {
  readonly policy: EgressPolicy;
  /** Resolves the name of the endpoint, or of the proxy. */
  readonly resolve: Resolve;
  readonly dialTcp: DialTcp;
  readonly dialTls: DialTls;
}

export function createDirectRoute({ policy, resolve, dialTcp, dialTls }: RouteSteps): Route {
  return async (target, { signal, onPhase }) => {
    onPhase('lookup');
    const addresses = await findAddresses(target, { policy, resolve }, signal);
    onPhase('connect');
    const transport = await dialTcp({ ...addresses, ...target, signal });
    onPhase('handshake');
    const connection = await dialTls({ target, transport, maxBytes: maxExchangeBytes, signal });
    assertPeer(connection.socket, transport, policy);
    return connection;
  };
}

/** Resolves to the addresses of the target that the policy allows, at least one, and to those that come late. */
async function findAddresses(
  { host, port }: Target,
  { policy, resolve }: Pick<RouteSteps, 'policy' | 'resolve'>,
  signal: AbortSignal,
): Promise<Pick<TcpDial, 'addresses' | 'late'>> {
  const refusedPort = policy.refusePort(port);
  if (refusedPort !== undefined) throw new BlockedError(refusedPort);
  const onlyAllowed = (all: readonly string[]): readonly string[] =>
    all.filter((address) => policy.refuseAddress(address) === undefined);
  let late: Promise<readonly string[]> | undefined;
  const onPartial = (all: Promise<readonly string[]>): void => void (late = all.then(onlyAllowed));
  // An abort ends the wait only, because others may wait for the same lookup.
  const found = isIP(host) === 0 ? await unlessAborted(signal, resolve(host, onPartial)) : [host];
  const addresses = onlyAllowed(found);
  if (addresses.length > 0) return { addresses, late };
  const lateAddresses = await unlessAborted(signal, late ?? Promise.resolve([]));
  if (lateAddresses.length > 0) return { addresses: lateAddresses };
  throw new BlockedError(policy.refuseAddress(found[0] ?? '') ?? 'the host name leads to no address');
}

/** Checks the address that the transport is connected to, and destroys the socket if the policy refuses it. */
function assertPeer(socket: TLSSocket, { remoteAddress }: Socket, policy: EgressPolicy): void {
  if (socket.destroyed || remoteAddress === undefined) {
    socket.destroy();
    throw new CodedError('CONNECTION_GONE');
  }
  const refused = policy.refuseAddress(remoteAddress);
  if (refused === undefined) return;
  socket.destroy();
  throw new BlockedError(refused);
}
