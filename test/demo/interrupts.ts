/** Somebody ended the demo before its time. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** npm passes a Ctrl-C on that the terminal has sent already: only a later one is a second. */
const samePressMs = 1000;

/** Aborted by Ctrl-C, a plain kill, or the end of the terminal or reader. Who asks again does not want to wait. */
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
      if (!stop.signal.aborted) interrupt('nobody reads the output any longer');
    });
  }
  return stop.signal;
}
