import type { TLSSocket } from 'node:tls';
import type { MonotonicClock } from '../../lib/clock.ts';
import { BlockedError, CodedError, RequestError, type Phase } from './request-error.ts';
import type { Target } from './target.ts';

/**
 * Opens a verified TLS connection that the egress policy allows. Rejects with a `BlockedError` or a `RequestError`, the
 * latter also when the signal is aborted.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<TLSSocket>;

/** Connects to an endpoint, directly or through a proxy. Leaves no socket open when it rejects. */
export type Route = (target: Target, travel: RouteOptions) => Promise<TLSSocket>;

interface RouteOptions {
  readonly signal: AbortSignal;
  /** Called when each phase begins. */
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
      return await route(target, { signal: controller.signal, onPhase: (next) => void (phase = next) });
    } catch (error) {
      throw error instanceof BlockedError ? error : new RequestError(phase, error);
    } finally {
      callerSignal.removeEventListener('abort', cancel);
    }
  };
}
