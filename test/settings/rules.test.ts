import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/settings/parse-settings.ts';
import { describeProblem } from '../../src/settings/parse-variables.ts';

type Variables = Readonly<Record<string, string>>;

function problemsOf(environment: Variables): readonly string[] {
  const parsed = parseSettings({ KAFKA_BROKERS: 'localhost:9092', ...environment }, new Map());
  return parsed.kind === 'ok' ? [] : parsed.problems.map(describeProblem);
}

const password = { KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' };
const client = { KAFKA_OAUTH_CLIENT_ID: 'c', KAFKA_OAUTH_CLIENT_SECRET: 's' };
const oauth = { ...client, KAFKA_OAUTH_TOKEN_URL: 'https://idp/token' };

describe('consistency problems', () => {
  it.each<[environment: Variables, problem: string]>([
    [
      { DELIVERY_CONNECT_TIMEOUT: '15s' },
      'DELIVERY_CONNECT_TIMEOUT is 15s: expected less than DELIVERY_TIMEOUT, which is 15s',
    ],
    [
      { SHUTDOWN_GRACE: '19999ms' },
      'DELIVERY_TIMEOUT is 15s: expected at least 5s less than SHUTDOWN_GRACE, which is 19999ms',
    ],
    [
      { DELIVERY_MAX_IN_FLIGHT: '15' },
      'DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT is 16: expected at most DELIVERY_MAX_IN_FLIGHT, which is 15',
    ],
    [
      { INTAKE_MAX_RECORDS: '255' },
      'DELIVERY_MAX_WAITING_PER_ENDPOINT is 256: expected at most INTAKE_MAX_RECORDS, which is 255',
    ],
    [
      { DELIVERY_ID_HEADER: 'X-Id', DELIVERY_EVENT_TYPE_HEADER: 'x-ID' },
      'DELIVERY_ID_HEADER is X-Id: expected a different name than DELIVERY_EVENT_TYPE_HEADER',
    ],
    [
      { WEBHOOK_REQUIRE_SEALED: 'true' },
      'WEBHOOK_KEYS_FILE is not set: expected a value, because WEBHOOK_REQUIRE_SEALED is true',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u' },
      'KAFKA_SASL_PASSWORD is not set: expected a value, because KAFKA_SASL_MECHANISM and KAFKA_SASL_USERNAME are set',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_OAUTH_CLIENT_ID: 'c', KAFKA_OAUTH_CLIENT_SECRET: 's' },
      'KAFKA_OAUTH_TOKEN_URL is not set: expected a value, because KAFKA_SASL_MECHANISM and KAFKA_OAUTH_CLIENT_ID and KAFKA_OAUTH_CLIENT_SECRET are set',
    ],
    [
      oauth,
      'KAFKA_SASL_MECHANISM is not set: expected a value, because KAFKA_OAUTH_TOKEN_URL and KAFKA_OAUTH_CLIENT_ID and KAFKA_OAUTH_CLIENT_SECRET are set',
    ],
    [
      { ...oauth, KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_SASL_USERNAME: 'u' },
      'KAFKA_SASL_MECHANISM is oauthbearer: expected another mechanism, or KAFKA_SASL_USERNAME to be unset',
    ],
    [
      { ...password, KAFKA_SASL_MECHANISM: 'plain', KAFKA_OAUTH_SCOPE: 's' },
      'KAFKA_SASL_MECHANISM is plain: expected oauthbearer, or KAFKA_OAUTH_SCOPE to be unset',
    ],
    [
      { SCHEMA_REGISTRY_URL: 'https://registry', SCHEMA_REGISTRY_PASSWORD: 'p' },
      'SCHEMA_REGISTRY_USERNAME is not set: expected a value, because SCHEMA_REGISTRY_PASSWORD is set',
    ],
    [
      { SCHEMA_REGISTRY_USERNAME: 'u', SCHEMA_REGISTRY_PASSWORD: 'p' },
      'SCHEMA_REGISTRY_URL is not set: expected a value, because SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD are set',
    ],
  ])('refuses %j and names both variables', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([problem]);
  });

  it.each<[environment: Variables]>([
    [{ DELIVERY_CONNECT_TIMEOUT: '14999ms' }],
    [{ SHUTDOWN_GRACE: '20s' }],
    [{ DELIVERY_MAX_IN_FLIGHT: '16' }],
    [{ INTAKE_MAX_RECORDS: '256' }],
    [{ DELIVERY_ID_HEADER: 'X-Id', DELIVERY_EVENT_TYPE_HEADER: 'X-Event' }],
    [{ SCHEMA_REGISTRY_URL: 'https://registry' }],
    [{ RETRY_TOPIC_PREFIX: 'x', DEAD_LETTER_TOPIC: 'x.dead' }],
    [{ WEBHOOK_CONFIGURATIONS: 'file:certificates.expired' }],
    [{ ...password, KAFKA_SASL_MECHANISM: 'scram-sha-256' }],
    [{ ...oauth, KAFKA_SASL_MECHANISM: 'oauthbearer' }],
    [{ ...oauth, KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_OAUTH_SCOPE: 'kafka read' }],
  ])('takes %j', (environment) => {
    expect(problemsOf(environment)).toEqual([]);
  });

  it('names every missing part of a login', () => {
    expect(problemsOf({ KAFKA_SASL_USERNAME: 'u' })).toEqual([
      'KAFKA_SASL_MECHANISM is not set: expected a value, because KAFKA_SASL_USERNAME is set',
      'KAFKA_SASL_PASSWORD is not set: expected a value, because KAFKA_SASL_USERNAME is set',
    ]);
  });

  it('names every missing part of a login with tokens', () => {
    expect(problemsOf({ KAFKA_OAUTH_SCOPE: 's' }).map((problem) => problem.split(' ')[0])).toEqual([
      'KAFKA_SASL_MECHANISM',
      'KAFKA_OAUTH_TOKEN_URL',
      'KAFKA_OAUTH_CLIENT_ID',
      'KAFKA_OAUTH_CLIENT_SECRET',
    ]);
  });

  it('ignores variables that are wrong by themselves', () => {
    expect(problemsOf({ DELIVERY_TIMEOUT: 'x', SHUTDOWN_GRACE: '5s' })).toHaveLength(1);
    expect(problemsOf({ ...password, KAFKA_SASL_MECHANISM: 'x' })).toHaveLength(1);
  });
});

describe('topic roles', () => {
  it.each<[environment: Variables, problem: string]>([
    [
      { DEAD_LETTER_TOPIC: 'certificates.expired' },
      'DEAD_LETTER_TOPIC is certificates.expired: expected a topic that CERTIFICATE_TOPICS does not use',
    ],
    [
      { WEBHOOK_CONFIGURATIONS: 'kafka:certificates.expired' },
      'WEBHOOK_CONFIGURATIONS is certificates.expired: expected a topic that CERTIFICATE_TOPICS does not use',
    ],
    [
      { WEBHOOK_CONFIGURATIONS: 'kafka:certificate-webhooks.dead-letter' },
      'DEAD_LETTER_TOPIC is certificate-webhooks.dead-letter: expected a topic that WEBHOOK_CONFIGURATIONS does not use',
    ],
    [
      { RETRY_TOPIC_PREFIX: 'x', DEAD_LETTER_TOPIC: 'x.3m' },
      'DEAD_LETTER_TOPIC is x.3m: expected a topic that is not a retry topic: RETRY_TOPIC_PREFIX is x',
    ],
    [
      { RETRY_TOPIC_PREFIX: 'x', CERTIFICATE_TOPICS: 'a,x.10s' },
      'CERTIFICATE_TOPICS is x.10s: expected a topic that is not a retry topic: RETRY_TOPIC_PREFIX is x',
    ],
    [
      { RESULTS_INCLUDE: 'deliveries,records' },
      'RESULTS_TOPIC is not set: expected a value, because RESULTS_INCLUDE names records',
    ],
    [
      { RESULTS_TOPIC: 'results', RESULTS_INCLUDE: 'records' },
      'RESULTS_INCLUDE is "records": expected a list, beginning with deliveries',
    ],
    [
      { RESULTS_TOPIC: 'results', RESULTS_INCLUDE: 'deliveries,retries' },
      'RESULTS_INCLUDE is "deliveries,retries", with "retries" in it: expected one of deliveries, records',
    ],
    [
      { RESULTS_TOPIC: 'certificate-webhooks.dead-letter' },
      'RESULTS_TOPIC is certificate-webhooks.dead-letter: expected a topic that DEAD_LETTER_TOPIC does not use',
    ],
    [
      { RETRY_TOPIC_PREFIX: 'x', RESULTS_TOPIC: 'x.1m' },
      'RESULTS_TOPIC is x.1m: expected a topic that is not a retry topic: RETRY_TOPIC_PREFIX is x',
    ],
    [
      { CERTIFICATE_TOPICS: 'a,b,a=certificate_expired' },
      'CERTIFICATE_TOPICS is "a,b,a=certificate_expired", with "a=certificate_expired" in it: expected a list, without duplicates',
    ],
  ])('refuses %j', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([problem]);
  });
});
