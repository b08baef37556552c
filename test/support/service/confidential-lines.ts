import { aCertificateDocument, aConfiguration, authentications } from '../builders.ts';
import type { LogLine } from './service-under-test.ts';

/**
 * Returns the log lines that contain confidential words. These are credentials, header values, paths, queries and bodies
 * from the builders, and `words`.
 */
export function confidentialLines(log: readonly LogLine[], ...words: readonly string[]): readonly string[] {
  const confidential = [...confidentialWords(), ...words];
  return log.map((line) => JSON.stringify(line)).filter((text) => confidential.some((word) => text.includes(word)));
}

function confidentialWords(): readonly string[] {
  const { _userId: userId, _badgeId: badgeId } = aCertificateDocument();
  const { customHeaders } = aConfiguration();
  const credentials = Object.values(authentications).flatMap(({ authType: _authType, ...fields }) =>
    Object.values(fields),
  );
  return [
    '/private/',
    '?place=',
    'Working safely at height',
    ...[userId, badgeId, ...credentials, ...Object.values(customHeaders ?? {})].map(String),
  ];
}
