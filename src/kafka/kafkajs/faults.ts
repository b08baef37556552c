import { kafkaErrorType } from './error-type.ts';

/** Nothing was heard: whether the request was carried out is unknown, and the same broker may be gone. */
const networkErrors: ReadonlySet<unknown> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSLockTimeout',
]);

/** The broker asked is not the group's coordinator, or not ready to be. */
const coordinatorErrors: ReadonlySet<unknown> = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
]);

/** It does not count us as a member, or no longer by this generation. */
const expulsions: ReadonlySet<unknown> = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID']);

/** The group goes on without our generation: only a join brings us back. */
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

/** Looks at the error itself, as kafkajs does when it decides to join again. */
export function isRejoinError(error: unknown): boolean {
  return error instanceof Error && 'type' in error && rejoinErrors.has(error.type);
}

/** Of the error and of those that caused it: kafkajs wraps them once or twice. */
function namesOf(error: unknown): readonly string[] {
  const names: string[] = [];
  for (let cause = error; cause instanceof Error && names.length < 8; cause = cause.cause) names.push(cause.name);
  return names;
}
