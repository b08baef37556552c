import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { variableEntries, variables } from '../../../src/settings/variables.ts';
import { settingShape } from './setting-shape.ts';

/** Values of several settings, and texts that look like them. */
const texts = `
true|no|0|4|8080|65535|-1|1e3|10|250ms|10s|10 s|336h|1ms,2ms,3ms|3s,2s|2GiB|64 MiB|gzip|lz5|debug|scram-sha-512|SCRAM
kafka|kafka:9092|a.b-c_d:1|a:1, b:2|10.0.0.1:9092|[::1]:9092|[2001:db8::1]:1,a:2|[::1]|group one|group.one/2|topic|topic=certificate_expired
a=certificate_completed , b|earliest|2026-01-31|2026-01-31T00:00:00Z|2026-01-31T10:20:30.123+02:00|file:/etc/webhooks
kafka:topic|443,9000-9100|10.0.0.0/8|fd00::/8,10.1.2.3/32|::ffff:10.0.0.0/104|0.0.0.0|::|my-host.local
https://registry:8081/path/|HTTP://x|X-Event_Type|a!#$%&'*+.^_~|Webhooks/1.0 (+https://example.com)|ä|a:b
`
  .trim()
  .split(/[|\n]/)
  .concat(
    variableEntries.flatMap(([, variable]) => variable.default ?? []),
    '',
  );

describe('the schema of a setting in the values', () => {
  it.each(variableEntries.filter(([, { file, secret }]) => file !== true && secret !== true))(
    'accepts every valid value of %s',
    (_name, variable) => {
      const valid = texts.filter((text) => variable.kind.parse(text).kind === 'value');
      expect(valid).not.toEqual([]);
      expect(valid.filter((text) => !accepts(settingShape(variable), text))).toEqual([]);
    },
  );

  it.each([
    ['KAFKA_BROKERS', 'kafka'],
    ['KAFKA_BROKERS', '::1:9092'],
    ['KAFKA_TLS', 'yes'],
    ['KAFKA_SASL_MECHANISM', 'SCRAM'],
    ['KAFKA_OAUTH_TOKEN_URL', 'idp.example.com/token'],
    ['KAFKA_OAUTH_SCOPE', 'a"b'],
    ['SHUTDOWN_GRACE', '25'],
    ['INTAKE_MAX_BYTES', '64MB'],
    ['HTTP_PORT', 'http'],
    ['RETRY_DELAYS', '10s;1m'],
    ['WEBHOOK_CONFIGURATIONS', 'topic'],
    ['CERTIFICATE_START', 'newest'],
    ['DELIVERY_ALLOWED_NETWORKS', '10.0.0.0'],
  ] as const)('refuses a wrong value of %s', (name, text) => {
    expect(accepts(settingShape(variables[name]), text)).toBe(false);
  });

  it('throws for an unknown kind', () => {
    const kind = { expected: 'a colour', parse: () => ({ kind: 'wrong' }) as const };
    expect(() => settingShape({ kind })).toThrow('a colour');
  });
});

/** Returns true if the schema accepts the text. Supports the keywords that shapes use. */
function accepts({ enum: choices, pattern }: JsonSchema, text: string): boolean {
  if (Array.isArray(choices)) return choices.includes(text);
  return typeof pattern === 'string' && new RegExp(pattern).test(text);
}
