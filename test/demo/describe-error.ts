import { MissingToolError } from '../support/kafka/cluster/java.ts';

/** Returns the message with those of its causes, outermost first. */
export function describeError(error: unknown): string {
  if (error instanceof MissingToolError) return error.message;
  if (error instanceof SuppressedError)
    return `${describeError(error.error)}\nafter: ${describeError(error.suppressed)}`;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nbecause: ${describeError(error.cause)}`;
  return `${error.name}: ${error.message}${cause}`;
}
