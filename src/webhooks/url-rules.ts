/** Which ports a webhook may point at. */
export type PortPolicy = (port: number) => boolean;

/** Of the URL as it is sent. */
const maxUrlCharacters = 2048;

/**
 * What is wrong with a URL, which is read as the WHATWG parser writes it. The problems don't repeat it: subscribers put
 * credentials into paths and queries.
 */
export function urlProblems(url: URL | null, isAllowedPort: PortPolicy): readonly string[] {
  if (url === null) return ['must be an absolute https: URL'];
  const findings: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [url.protocol !== 'https:', 'must be an absolute https: URL'],
    [url.href.length > maxUrlCharacters, `must not exceed ${maxUrlCharacters} characters`],
    [url.username !== '' || url.password !== '', 'must not carry user info'],
    // `hash` is empty for a fragment that is there and empty.
    [url.href.includes('#'), 'must not carry a fragment'],
    [!isAllowedPort(url.port === '' ? 443 : Number(url.port)), 'must point at an allowed port'],
  ];
  return findings.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}
