import { within, type MonotonicClock } from '../../lib/clock.ts';
import type { Secret } from '../../lib/secret.ts';
import type { TokenEvents } from '../kafka-events.ts';
import type { TokenAnswer } from './token-request.ts';

interface TokenSourceOptions {
  /** The token endpoint as it may be shown. */
  readonly endpoint: string;
  /** Asks the endpoint once. Never rejects. */
  readonly request: () => Promise<TokenAnswer>;
  readonly events: TokenEvents;
  readonly clock: MonotonicClock;
}

/** Thrown while there is no valid token. The message says why, and holds no secret. `isNetworkError` knows the name. */
export class TokenUnavailableError extends Error {
  override readonly name = 'TokenUnavailableError';
  /** Read by kafkajs. */
  readonly retriable = true;
}

/** Pause in ms after a failed request. Several connections ask at the same time, and each asks again soon. */
const pauseAfterFailureMs = 1_000;
/** Longest wait in ms for a new token while the last one is still valid. A healthy endpoint answers in less. */
const longestRenewalWaitMs = 2_000;
/** Age in ms from which a token that a broker refused is replaced. A younger one would be replaced by its equal. */
const replaceRefusedAfterMs = 10_000;

interface Token {
  readonly value: Secret;
  /** Monotonic times. */
  readonly fetchedAt: number;
  readonly renewAt: number;
  readonly endsAt: number;
}

/**
 * The token that all connections of all clients share. Owns the token in use, the last failure and the request in flight.
 *
 * | The token in use             | `token()`                                                                     |
 * | ---------------------------- | ----------------------------------------------------------------------------- |
 * | is not due for renewal       | returns it                                                                    |
 * | is due, and still valid      | asks, waits up to 2 s, and returns the new one, or the one in use             |
 * | has ended, or there is none  | asks and waits; without a new one it throws a `TokenUnavailableError`         |
 *
 * `oauthBearer` calls `token` for each authentication of each connection, and `refused` when a broker refuses a token.
 * `startService` creates it with the credentials, and shows `missing` in `/readyz`.
 *
 * Promises:
 * - One request is in flight at a time, and after a failed one the next is at least a second later.
 * - kafkajs authenticates a connection again shortly before its session ends. The token is due by then, so the new
 *   session is a full one. Without that, ever shorter sessions would follow each other until a broker refuses them.
 * - No timer runs between two requests. A service without connections asks for no token.
 */
export class TokenSource {
  readonly #options: TokenSourceOptions;
  #token: Token | undefined;
  /** The last failure with its monotonic time. */
  #failure: { readonly reason: string; readonly at: number } | undefined;
  #request: Promise<void> | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  async token(): Promise<Secret> {
    const { clock, endpoint } = this.#options;
    const now = clock.monotonic();
    const inUse = this.#valid();
    if (inUse !== undefined && now < inUse.renewAt) return inUse.value;
    const renewal = this.#renew(now);
    if (inUse === undefined) await renewal;
    else await within(clock, Math.min(longestRenewalWaitMs, (inUse.endsAt - now) / 2), renewal);
    const current = this.#valid();
    if (current !== undefined) return current.value;
    throw new TokenUnavailableError(`no token, because ${endpoint} ${this.#failure?.reason ?? 'did not answer'}`);
  }

  /** Another token may be accepted, for example after a change of the signing keys. */
  refused(value: Secret): void {
    const now = this.#options.clock.monotonic();
    if (this.#token?.value !== value || now - this.#token.fetchedAt < replaceRefusedAfterMs) return;
    this.#token = undefined;
  }

  /** Says why there is no valid token, if the last request failed. */
  missing(): readonly string[] {
    if (this.#failure === undefined || this.#valid() !== undefined) return [];
    return [`a token: ${this.#options.endpoint} ${this.#failure.reason}`];
  }

  #valid(): Token | undefined {
    const token = this.#token;
    return token !== undefined && this.#options.clock.monotonic() < token.endsAt ? token : undefined;
  }

  async #renew(now: number): Promise<void> {
    const isPaused = this.#failure !== undefined && now - this.#failure.at < pauseAfterFailureMs;
    if (isPaused && this.#request === undefined) return;
    this.#request ??= this.#ask().finally(() => (this.#request = undefined));
    await this.#request;
  }

  async #ask(): Promise<void> {
    const { request, events, clock, endpoint } = this.#options;
    // The life begins before the answer arrives.
    const askedAt = clock.monotonic();
    const answer = await request();
    if (answer.kind === 'token') {
      const { value, lifeMs } = answer;
      this.#token = { value, fetchedAt: askedAt, renewAt: askedAt + renewAfter(lifeMs), endsAt: askedAt + lifeMs };
      events.tokenFetched({ endpoint, lifeMs, recovered: this.#failure !== undefined });
      this.#failure = undefined;
      return;
    }
    const now = clock.monotonic();
    this.#failure = { reason: answer.reason, at: now };
    const validForMs = Math.max(0, (this.#token?.endsAt ?? now) - now);
    events.tokenFailed({ endpoint, reason: answer.reason, validForMs });
  }
}

/**
 * Returns the age in ms at which a token is due for renewal: 80 % of its life. For a life of less than a minute it is
 * earlier. `reauthenticateInTime` asks 10 s before the end, or when a third is left, and the answer takes time.
 */
export function renewAfter(lifeMs: number): number {
  return lifeMs - Math.max(0.2 * lifeMs, Math.min(12_000, 0.4 * lifeMs));
}
