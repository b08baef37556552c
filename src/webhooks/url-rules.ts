/** Returns whether a webhook may point at that port. */
export type PortPolicy = (port: number) => boolean;

/** Limit for the URL as the WHATWG parser writes it. Bounds the request line and the memory that a webhook takes. */
const maxUrlCharacters = 2048;

/**
 * Returns the problems of a URL in the form that the WHATWG parser writes. They never quote it, because subscribers put
 * credentials into paths and queries.
 */
export function urlProblems(url: URL | null, isAllowedPort: PortPolicy): readonly string[] {
  if (url === null) return ['must be an absolute https: URL'];
  const findings: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [url.protocol !== 'https:', 'must be an absolute https: URL'],
    [url.href.length > maxUrlCharacters, `must not exceed ${maxUrlCharacters} characters`],
    [url.username !== '' || url.password !== '', 'must not carry user info'],
    // `url.hash` is also empty for a URL that ends in a lone `#`.
    [url.href.includes('#'), 'must not carry a fragment'],
    [!isAllowedPort(url.port === '' ? 443 : Number(url.port)), 'must point at an allowed port'],
  ];
  return findings.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}
