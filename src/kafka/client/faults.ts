/** Returns Kafka's name of the error, such as `MESSAGE_TOO_LARGE`. kafkajs wraps that error once or twice. */
export function kafkaErrorType(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
    if ('type' in cause && typeof cause.type === 'string') return cause.type;
  }
  return undefined;
}

/** Errors without an answer. The request may have been carried out, and the broker may be gone. */
const networkErrors: ReadonlySet<unknown> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSLockTimeout',
  // No broker was asked, because the token endpoint did not answer or refused us.
  'TokenUnavailableError',
]);

/** Answers of a broker that is not the group's coordinator, or is not ready yet. */
const coordinatorErrors: ReadonlySet<unknown> = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
]);

/** Answers of a coordinator that no longer knows this member, or that has a newer generation. */
const expulsions: ReadonlySet<unknown> = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

/** Answers after which only a join makes this process a current member again. */
const rejoinErrors: ReadonlySet<unknown> = new Set(['REBALANCE_IN_PROGRESS', ...expulsions]);

export function isExpulsion(error: unknown): boolean {
  return expulsions.has(kafkaErrorType(error));
}

export function isNetworkError(error: unknown): boolean {
  return namesOf(error).some((name) => networkErrors.has(name));
}

export function isCoordinatorError(error: unknown): boolean {
  return coordinatorErrors.has(kafkaErrorType(error));
}

/** Returns true for errors on which kafkajs joins again. Like kafkajs, it ignores causes. */
export function isRejoinError(error: unknown): boolean {
  return error instanceof Error && 'type' in error && rejoinErrors.has(error.type);
}

/** Errors of our own code, or of what this program lacks. kafkajs wraps them like those of a broker. */
const ownErrors: ReadonlySet<string> = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AssertionError',
  'KafkaJSNotImplemented',
]);

/**
 * Returns false if Kafka is the cause: a broker refused something, or could not be reached. Waiting helps then, because
 * somebody may change that. True for everything else.
 */
export function isOwnFault(error: unknown): boolean {
  const names = namesOf(error);
  if (names.some((name) => ownErrors.has(name))) return true;
  return (
    kafkaErrorType(error) === undefined && !isNetworkError(error) && !names.some((name) => name.startsWith('KafkaJS'))
  );
}

function namesOf(error: unknown): readonly string[] {
  const names: string[] = [];
  for (let cause = error; cause instanceof Error && names.length < 8; cause = cause.cause) names.push(cause.name);
  return names;
}
