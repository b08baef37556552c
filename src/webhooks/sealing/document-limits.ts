/** The largest configuration, in bytes of JSON. Its URL, credentials and headers need 11 KiB at most. */
export const maxDocumentBytes = 64 * 1024;
/** The deepest configuration, itself included. Its own fields need three levels. */
export const maxDepth = 32;

/** Problems of documents beyond these limits. */
export const tooLarge = `must not exceed ${maxDocumentBytes / 1024} KiB`;
export const tooDeep = `must not be nested more than ${maxDepth} deep`;

/** Returns true if a parsed value is nested too deep. Uses no recursion, because ten thousand levels would exhaust the stack. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

/** Returns true if a parsed value is too large as JSON. Values that are too deep have no JSON. */
export function isTooLarge(value: unknown): boolean {
  return !isTooDeep(value) && Buffer.byteLength(JSON.stringify(value), 'utf8') > maxDocumentBytes;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Describes an exception of our own code. Its message may quote the document, so only its name is used. */
export function describeException(error: unknown): string {
  return `this service failed on it (${error instanceof Error ? error.name : 'no error'})`;
}
