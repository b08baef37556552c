import { aCertificateDocument, aConfiguration, authentications } from '../builders.ts';
import type { LogLine } from './service-under-test.ts';

/**
 * Lines that hold what no line may: of subscribers and certificates made by the builders their credentials, header
 * values, paths, queries and bodies. Other words come from the test.
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
