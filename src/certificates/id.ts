/**
 * The longest id, in bytes of UTF-8. A retry carries its ids in headers, three of them and one twice. Its headers must fit
 * into a record even when nothing else does.
 */
export const maxIdBytes = 1024;

/**
 * Returns true for the id of a certificate, a user, an owner or a webhook configuration.
 *
 * Ids travel in record headers as UTF-8. Half a surrogate pair has no UTF-8, so it would come back as another id.
 */
export function isId(value: unknown): value is string {
  return idProblem(value) === undefined;
}

/** Returns what an id must be and this value is not, to follow "must be". Undefined for an id. Quotes nothing of the value. */
export function idProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'a non-empty string';
  if (value.length > maxIdBytes || Buffer.byteLength(value, 'utf8') > maxIdBytes) return tooLong;
  return value.isWellFormed() ? undefined : 'well-formed Unicode, without half a surrogate pair';
}

const tooLong = `at most ${maxIdBytes.toLocaleString('en')} bytes of UTF-8`;
