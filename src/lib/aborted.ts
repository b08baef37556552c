/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * What the promise comes to, unless the signal is aborted before: then its reason is thrown, and what the promise comes
 * to is nobody's business any more.
 */
export async function unlessAborted<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result> {
  const { promise: calledOff, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    // The race also hears of a promise that rejects when it is nobody's business any more.
    return await Promise.race([calledOff, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
