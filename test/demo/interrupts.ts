/** The user ended the program. */
class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** npm repeats a Ctrl-C that the terminal has already sent. Within this time it counts as the same one. */
const samePressMs = 1000;

/** Aborts on Ctrl-C, SIGTERM, or the end of the terminal or of the output. A second request exits at once. */
export function listenForInterrupts(): AbortSignal {
  const stop = new AbortController();
  let firstAt = 0;
  const interrupt = (reason: string): void => {
    const now = Date.now();
    if (!stop.signal.aborted) firstAt = now;
    else if (now - firstAt > samePressMs) process.exit(1);
    stop.abort(new InterruptedError(reason));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt(signal));
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', () => {
      if (!stop.signal.aborted) interrupt('the output was closed');
    });
  }
  return stop.signal;
}

/** Waits for the promise. Throws the signal's reason as soon as the signal is aborted. */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
