import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/settings/parse-settings.ts';
import { unknownVariableWarnings } from '../../src/settings/rules.ts';

type Variables = Readonly<Record<string, string>>;

function warningsOf(environment: Variables): readonly string[] {
  return parseSettings({ KAFKA_BROKERS: 'localhost:9092', ...environment }, new Map()).warnings;
}

const login = { KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
const oauthClient = { KAFKA_OAUTH_CLIENT_ID: 'c', KAFKA_OAUTH_CLIENT_SECRET: 's' };
const oauthLogin = { ...oauthClient, KAFKA_OAUTH_TOKEN_URL: 'https://idp/token' };
const registryLogin = { SCHEMA_REGISTRY_USERNAME: 'u', SCHEMA_REGISTRY_PASSWORD: 'p' };

describe('warnings', () => {
  it('warns of tiers that are due after the maximum age', () => {
    expect(warningsOf({ RETRY_DELAYS: '1h,2h,3h', DELIVERY_MAX_AGE: '2h' })).toEqual([
      'RETRY_DELAYS has a tier 2h that no failing delivery reaches: it is due 3h after planning, but DELIVERY_MAX_AGE is 2h',
      'RETRY_DELAYS has a tier 3h that no failing delivery reaches: it is due 6h after planning, but DELIVERY_MAX_AGE is 2h',
    ]);
  });

  it('accepts a tier that is due at the maximum age', () => {
    expect(warningsOf({ RETRY_DELAYS: '1h,2h', DELIVERY_MAX_AGE: '3h' })).toEqual([]);
  });

  it.each<[environment: Variables, count: number]>([
    [{ ...login, KAFKA_SASL_MECHANISM: 'plain' }, 1],
    [{ ...login, KAFKA_SASL_MECHANISM: 'plain', KAFKA_TLS: 'true' }, 0],
    [{ ...login, KAFKA_SASL_MECHANISM: 'scram-sha-512' }, 0],
    [{ ...oauthLogin, KAFKA_SASL_MECHANISM: 'oauthbearer' }, 1],
    [{ ...oauthLogin, KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_TLS: 'true' }, 0],
    [{ ...registryLogin, SCHEMA_REGISTRY_URL: 'http://registry' }, 1],
    [{ ...registryLogin, SCHEMA_REGISTRY_URL: 'https://registry' }, 0],
    [{ ...registryLogin, SCHEMA_REGISTRY_URL: 'https://registry,http://other' }, 1],
    [{ SCHEMA_REGISTRY_URL: 'http://registry' }, 0],
  ])('warns of passwords and tokens sent in clear text: %j', (environment, count) => {
    expect(warningsOf(environment).filter((warning) => warning.includes('in clear'))).toHaveLength(count);
  });

  it('warns of a network that contains every address', () => {
    expect(warningsOf({ DELIVERY_ALLOWED_NETWORKS: '10.0.0.0/8,::/0' })).toEqual([
      'DELIVERY_ALLOWED_NETWORKS has ::/0: webhooks may reach every internal address',
    ]);
  });
});

describe('unknownVariableWarnings', () => {
  it.each([
    ['DELIVERY_TIMEOUTS', 'DELIVERY_TIMEOUT'],
    ['RETRY_DELAY', 'RETRY_DELAYS'],
    ['KAFKA_BROKER', 'KAFKA_BROKERS'],
    ['KAFKA_BOOTSTRAP_SERVERS', 'KAFKA_BROKERS'],
    ['KAFKA_SASL_PASSWORD_FIL', 'KAFKA_SASL_PASSWORD_FILE'],
    ['CIRCUIT_COOL_DOWN', 'CIRCUIT_COOLDOWN'],
    ['DEAD_LETTERS_TOPIC', 'DEAD_LETTER_TOPIC'],
    ['CERTIFICATE_TOPIC', 'CERTIFICATE_TOPICS'],
    ['RETRY_TOPIC_PREFIX_FILE', 'RETRY_TOPIC_PREFIX'],
  ])('warns of %s and suggests %s', (name, suggestion) => {
    expect(unknownVariableWarnings({ [name]: 'hush' })).toEqual([
      `${name} is not a setting; did you mean ${suggestion}?`,
    ]);
  });

  it.each(
    [
      'KAFKA_PORT KAFKA_PORT_9092_TCP_ADDR KAFKA_SERVICE_HOST KAFKA_SERVICE_PORT KAFKA_SERVICE_PORT_TLS',
      'CERTIFICATE_WEBHOOKS_PORT HTTP_PROXY HTTPS_PROXY PATH RETRYING MY_KAFKA_BROKERS HTTP_PORT',
      'KAFKA_SASL_PASSWORD_FILE DELIVERY_PROXY_URL_FILE DELIVERY_ALLOWED_PORTS',
    ].flatMap((line) => line.split(' ')),
  )('ignores %s', (name) => {
    expect(unknownVariableWarnings({ [name]: 'tcp://10.0.0.1:80' })).toEqual([]);
  });

  it('sorts warnings by name, independent of the environment', () => {
    const names = unknownVariableWarnings({ RETRY_DELAY: '1s', DELIVERY_TIMEOUTS: '1s' }).map((warning) => warning[0]);
    expect(names).toEqual(['D', 'R']);
  });

  it('ignores empty variables, which count as unset', () => {
    expect(unknownVariableWarnings({ DELIVERY_TIMEOUTS: '', RETRY_DELAY: undefined })).toEqual([]);
  });
});
