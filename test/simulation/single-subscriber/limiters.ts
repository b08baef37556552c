import type { EndpointResponse } from './single-subscriber-service.ts';

/** Decides at a time in ms whether a request is allowed. Returns 0, or the ms until one more is. */
type Limiter = (ms: number) => number;

export interface LimiterOptions {
  /** The requests that it allows in a second. */
  readonly perSecond: number;
  /** The length of its window, or the time after which an idle bucket is full. */
  readonly windowMs: number;
}

export const limiters = {
  'a fixed window': fixedWindow,
  'a sliding window': slidingWindow,
  'a token bucket': tokenBucket,
} as const satisfies Readonly<Record<string, (options: LimiterOptions) => Limiter>>;

export type LimiterKind = keyof typeof limiters;

/** Returns an endpoint's responses behind a limiter. It asks for whole seconds, as `Retry-After` does. */
export function behind(limiter: Limiter, afterMs = 20): (ms: number) => EndpointResponse {
  return (ms) => {
    const waitMs = limiter(ms);
    return waitMs === 0 ? accepts(afterMs) : asksFor(Math.ceil(waitMs / 1000), afterMs);
  };
}

export function accepts(afterMs: number): EndpointResponse {
  return { afterMs, outcome: { kind: 'delivered', status: 200 } };
}

export function asksFor(seconds: number, afterMs = 20): EndpointResponse {
  return { afterMs, outcome: { kind: 'http_error', status: 429, retryAfterMs: seconds * 1000 } };
}

function fixedWindow({ perSecond, windowMs }: LimiterOptions): Limiter {
  const most = mostIn({ perSecond, windowMs });
  let window = 0;
  let count = 0;
  return (ms) => {
    const current = Math.floor(ms / windowMs);
    if (current !== window) count = 0;
    window = current;
    if (count >= most) return (current + 1) * windowMs - ms;
    count += 1;
    return 0;
  };
}

function slidingWindow({ perSecond, windowMs }: LimiterOptions): Limiter {
  const most = mostIn({ perSecond, windowMs });
  const allowed: number[] = [];
  return (ms) => {
    while ((allowed[0] ?? ms) <= ms - windowMs) allowed.shift();
    if (allowed.length >= most) return (allowed[0] ?? ms) + windowMs - ms;
    allowed.push(ms);
    return 0;
  };
}

function tokenBucket({ perSecond, windowMs }: LimiterOptions): Limiter {
  const most = mostIn({ perSecond, windowMs });
  let tokens = most;
  let at = 0;
  return (ms) => {
    tokens = Math.min(most, tokens + ((ms - at) * perSecond) / 1000);
    at = ms;
    if (tokens < 1) return ((1 - tokens) * 1000) / perSecond;
    tokens -= 1;
    return 0;
  };
}

/** Returns how many requests a window allows, or a full bucket. */
function mostIn({ perSecond, windowMs }: LimiterOptions): number {
  return Math.max(1, Math.round((perSecond * windowMs) / 1000));
}
