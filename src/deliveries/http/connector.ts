import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../lib/clock.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { BlockedError, CodedError, RequestError, type Phase } from './request-error.ts';
import type { Resolve } from './resolver.ts';
import { createTlsDialer } from './tls-dialer.ts';

export interface Target {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a verified TLS connection to an address inside the policy. Rejects with a `BlockedError` or a `RequestError`, the
 * latter also when the signal is aborted. A proxy would be dialled here, in place of the addresses.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<TLSSocket>;

interface ConnectorOptions {
  /** Over lookup, connection and handshake. */
  readonly connectTimeoutMs: number;
  readonly policy: EgressPolicy;
  readonly resolve: Resolve;
  /** PEMs trusted besides the public ones. */
  readonly certificateAuthorities: readonly string[];
  readonly clock: Clock;
}

export function createConnector(options: ConnectorOptions): Connect {
  const { policy, clock } = options;
  const dial = createTlsDialer(options);
  return async (target, cancelled) => {
    let phase: Phase = 'lookup';
    const late = new AbortController();
    using _timer = clock.after(options.connectTimeoutMs, () => late.abort(new CodedError('CONNECT_TIMEOUT')));
    const signal = AbortSignal.any([cancelled, late.signal]);
    try {
      const addresses = await findAddresses(target, options, signal);
      phase = 'connect';
      const socket = await dial({ target, addresses, signal, onAccepted: () => (phase = 'handshake') });
      assertPeer(socket, policy);
      return socket;
    } catch (error) {
      throw error instanceof BlockedError ? error : new RequestError(phase, error);
    }
  };
}

/** The addresses inside the policy: of the literal one, or of all that the name leads to. */
async function findAddresses(
  { host, port }: Target,
  { policy, resolve }: Pick<ConnectorOptions, 'policy' | 'resolve'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const refusedPort = policy.refusePort(port);
  if (refusedPort !== undefined) throw new BlockedError(refusedPort);
  const found = isIP(host) === 0 ? await unlessAborted(resolve(host), signal) : [host];
  const allowed = found.filter((address) => policy.refuseAddress(address) === undefined);
  if (allowed.length > 0) return allowed;
  throw new BlockedError(policy.refuseAddress(found[0] ?? '') ?? 'the host name leads to no address');
}

/** Where the connection really leads to, whoever chose the address. */
function assertPeer(socket: TLSSocket, policy: EgressPolicy): void {
  const refused = policy.refuseAddress(socket.remoteAddress ?? '');
  if (refused === undefined) return;
  socket.destroy();
  throw new BlockedError(refused);
}

/** Only the wait is broken off: others may wait for the same work. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}
