import type { MonotonicClock } from '../lib/clock.ts';
import { BlockedError, CodedError, RequestError, type Phase } from './request-error.ts';
import type { Target } from './target.ts';
import { HandshakeOfferError, type TlsConnection } from './tls/tls-dialer.ts';

/**
 * Opens a verified TLS connection that the egress policy allows. Rejects with a `BlockedError` or a `RequestError`, the
 * latter also when the opening is aborted: by the caller, or by the timeout. Two signals would have to be linked.
 */
export type Connect = (target: Target, opening: AbortController) => Promise<TlsConnection>;

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
  return async (target, opening) => {
    let phase: Phase = 'lookup';
    using _timer = clock.after(connectTimeoutMs, () => opening.abort(new CodedError('CONNECT_TIMEOUT')));
    const options: RouteOptions = { signal: opening.signal, onPhase: (next) => void (phase = next) };
    try {
      try {
        return await route(target, options);
      } catch (error) {
        // The next handshake offers less. A server may lose the key of its sessions, or handle a session badly that another
        // server of its cluster began. A middlebox may refuse large keys.
        if (!(error instanceof HandshakeOfferError) || opening.signal.aborted) throw error;
        return await route(target, options);
      }
    } catch (error) {
      if (error instanceof BlockedError) throw error;
      throw new RequestError(phase, error instanceof HandshakeOfferError ? error.cause : error);
    }
  };
}
