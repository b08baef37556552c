/** The largest configuration, in bytes of JSON. Its URL, credentials and headers need 11 KiB at most. */
export const maxDocumentBytes = 64 * 1024;
/** The deepest configuration, itself included. Its own fields need three levels. */
export const maxDepth = 32;

/** Problems of documents beyond these limits. */
export const tooLarge = `must not exceed ${maxDocumentBytes / 1024} KiB`;
export const tooDeep = `must not be nested more than ${maxDepth} deep`;

/** Returns true if a parsed value is nested too deep. Its own recursion ends at that depth. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(maxDepth, value);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** Returns true if a parsed value is too large as JSON. Values that are too deep have no JSON. */
export function isTooLarge(value: unknown): boolean {
  return !isTooDeep(value) && Buffer.byteLength(JSON.stringify(value), 'utf8') > maxDocumentBytes;
}

/** Describes an exception of our own code. Its message may quote the document, so only its name is used. */
export function describeException(error: unknown): string {
  return `this service failed on it (${error instanceof Error ? error.name : 'no error'})`;
}
