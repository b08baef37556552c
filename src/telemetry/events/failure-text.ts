import { oneLine } from '../../lib/printable.ts';

/**
 * Describes an error and up to two of its causes in one line: name, message and code of each. Use it only for errors
 * whose messages are safe to log.
 */
export function failureText(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error, depth = 0; cause !== undefined && depth < 3; depth += 1) {
    texts.push(ownText(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return oneLine(texts.join(': '));
}

function ownText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : 'not an error';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = error.message === '' ? error.name : `${error.name}: ${error.message}`;
  return code === '' || text.includes(code) ? text : `${text} (${code})`;
}

interface ErrorFacts {
  readonly name: string;
  readonly code?: string;
  readonly frames: readonly string[];
  readonly cause?: ErrorFacts;
}

/**
 * Returns the facts of an unexpected error that are safe to log. The message is left out, because it may quote a body or
 * a credential. The frames show where the error was thrown.
 */
export function errorFacts(error: unknown, depth = 0): ErrorFacts {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const hasCause = error.cause !== undefined && depth < 3;
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    frames: frames(error),
    ...(hasCause ? { cause: errorFacts(error.cause, depth + 1) } : {}),
  };
}

/** Returns the first ten stack frames. The message at the start of the stack is skipped: it could look like frames. */
function frames(error: Error): readonly string[] {
  const stack = error.stack ?? '';
  const messageAt = stack.indexOf(error.message);
  return stack
    .slice(messageAt + error.message.length)
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 10)
    .map((line) => oneLine(line.slice('    at '.length)));
}
