import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../lib/clock.ts';
import { BlockedError, CodedError, RequestError, type Phase } from './request-error.ts';
import type { Target } from './target.ts';

/**
 * Opens a verified TLS connection inside the policy. Rejects with a `BlockedError` or a `RequestError`, the latter also
 * when the signal is aborted.
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<TLSSocket>;

/** A way to endpoints. It says of each phase that it begins, and leaves no socket behind when it rejects. */
export type Route = (target: Target, travel: RouteOptions) => Promise<TLSSocket>;

interface RouteOptions {
  readonly signal: AbortSignal;
  readonly onPhase: (phase: Phase) => void;
}

interface ConnectorOptions {
  /** Over the whole route. */
  readonly connectTimeoutMs: number;
  readonly route: Route;
  readonly clock: Clock;
}

export function createConnector({ connectTimeoutMs, route, clock }: ConnectorOptions): Connect {
  return async (target, cancelled) => {
    let phase: Phase = 'lookup';
    // `AbortSignal.any` would hold both signals weakly, and what is held so stays until all garbage is collected.
    const ending = new AbortController();
    const cancel = (): void => ending.abort(cancelled.reason);
    if (cancelled.aborted) cancel();
    cancelled.addEventListener('abort', cancel);
    using _timer = clock.after(connectTimeoutMs, () => ending.abort(new CodedError('CONNECT_TIMEOUT')));
    try {
      return await route(target, { signal: ending.signal, onPhase: (next) => void (phase = next) });
    } catch (error) {
      throw error instanceof BlockedError ? error : new RequestError(phase, error);
    } finally {
      cancelled.removeEventListener('abort', cancel);
    }
  };
}
