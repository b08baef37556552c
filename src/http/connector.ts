import type { MonotonicClock } from '../lib/clock.ts';
import { BlockedError, CodedError, RequestError, type Phase } from './request-error.ts';
import type { Target } from './target.ts';
import { HandshakeOfferError, type TlsConnection } from './tls/tls-dialer.ts';

/**
 * Opens a verified TLS connection that the egress policy allows. Rejects with a `BlockedError` or a `RequestError`, the
 * latter also when the signal is aborted.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<TlsConnection>;

/** Connects to an endpoint, directly or through a proxy. Leaves no socket open when it rejects. */
export type Route = (target: Target, travel: RouteOptions) => Promise<TlsConnection>;

interface RouteOptions {
  readonly signal: AbortSignal;
  readonly onPhase: (phase: Phase) => void;
}

interface ConnectorOptions {
  /** The timeout of the whole route. */
  readonly connectTimeoutMs: number;
  readonly route: Route;
  readonly clock: MonotonicClock;
}

export function createConnector({ connectTimeoutMs, route, clock }: ConnectorOptions): Connect {
  return async (target, callerSignal) => {
    let phase: Phase = 'lookup';
    // `AbortSignal.any` holds its signals weakly, which keeps them in memory until a full garbage collection.
    const controller = new AbortController();
    const cancel = (): void => controller.abort(callerSignal.reason);
    if (callerSignal.aborted) cancel();
    callerSignal.addEventListener('abort', cancel);
    using _timer = clock.after(connectTimeoutMs, () => controller.abort(new CodedError('CONNECT_TIMEOUT')));
    try {
      const onPhase = (next: Phase): void => void (phase = next);
      return await withSmallerOffer(route, target, { signal: controller.signal, onPhase });
    } catch (error) {
      if (error instanceof BlockedError) throw error;
      throw new RequestError(phase, error instanceof HandshakeOfferError ? error.cause : error);
    } finally {
      callerSignal.removeEventListener('abort', cancel);
    }
  };
}

/**
 * Takes the route once more if the handshake may have failed for what it offered. A server may lose the key of its sessions,
 * or handle a session badly that another server of its cluster began. A middlebox may refuse large keys.
 */
async function withSmallerOffer(route: Route, target: Target, options: RouteOptions): Promise<TlsConnection> {
  try {
    return await route(target, options);
  } catch (error) {
    if (!(error instanceof HandshakeOfferError) || options.signal.aborted) throw error;
    return route(target, options);
  }
}
