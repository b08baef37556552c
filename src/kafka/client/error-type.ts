/** Returns Kafka's name of the error, such as `MESSAGE_TOO_LARGE`. kafkajs wraps that error once or twice. */
export function kafkaErrorType(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
    if ('type' in cause && typeof cause.type === 'string') return cause.type;
  }
  return undefined;
}
