/** A token by RFC 9110, section 5.6.2. */
export const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Narrower than RFC 9110, because receivers disagree on how to read tabs and bytes above 126. */
export const printableAscii = /^[\x20-\x7e]*$/;

/**
 * Names in lower case that subscribers may not set. These headers frame the request or belong to the connection, so this
 * service or the HTTP client sets them.
 */
export const refusedNames: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
]);
const refusedPrefix = 'proxy-';

/** Returns why a subscriber may not set a header of that name, or undefined if it may. */
export function headerNameProblem(name: string): string | undefined {
  if (!isToken(name)) return 'must be an RFC 9110 token';
  const lowerCase = name.toLowerCase();
  const isRefused = refusedNames.has(lowerCase) || lowerCase.startsWith(refusedPrefix);
  return isRefused ? 'must not be a header that frames the request or belongs to the connection' : undefined;
}

export function isToken(name: string): boolean {
  return token.test(name);
}
