export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Resolves or rejects like the promise, unless the signal is aborted before. Then it throws the signal's reason and ignores
 * the promise.
 */
export async function unlessAborted<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result> {
  const { promise: abortion, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    // `Promise.race` also handles a later rejection of the other promise, so that it is not reported as unhandled.
    return await Promise.race([abortion, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
