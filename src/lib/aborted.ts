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
export function unlessAborted<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result> {
  const { promise: settled, resolve, reject } = Promise.withResolvers<Result>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  // Also handles a later rejection of the promise, so that it is not reported as unhandled.
  void promise.then(resolve, reject).then(() => signal.removeEventListener('abort', abort));
  return settled;
}
