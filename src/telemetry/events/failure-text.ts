import { oneLine } from '../../lib/one-line.ts';

/** What went wrong, as one line: name, message and code of an error whose message is safe to tell, then its cause's. */
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
 * What can be told of an error that nobody expected. Its message may quote what it failed on, a body or a credential, so
 * it is left out: the frames say where to look.
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

/** The stack repeats the message first, which may look like frames itself. */
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
