import { describe, expect, it } from 'vitest';
import type { Environment } from '../../src/settings/environment.ts';
import { parseSettings } from '../../src/settings/parse-settings.ts';
import { describeProblem } from '../../src/settings/parse-variables.ts';

const brokers = { KAFKA_BROKERS: 'localhost:9092' };

function parse(environment: Environment): ReturnType<typeof parseSettings> {
  return parseSettings({ ...brokers, ...environment }, new Map());
}

function problemsOf(environment: Environment): readonly string[] {
  const parsed = parse(environment);
  return parsed.kind === 'ok' ? [] : parsed.problems.map(describeProblem);
}

describe('the default settings', () => {
  it('need only brokers, and are the documented ones', () => {
    expect(parse({})).toEqual({
      kind: 'ok',
      warnings: [],
      settings: {
        effective: expect.any(Array),
        kafka: {
          brokers: ['localhost:9092'],
          clientId: 'certificate-webhooks',
          groupId: 'certificate-webhooks',
          tls: { enabled: false },
          sasl: undefined,
          sessionTimeoutMs: 15_000,
        },
        certificates: {
          topics: [
            { topic: 'certificates.completed', eventType: 'certificate_completed' },
            { topic: 'certificates.expired', eventType: 'certificate_expired' },
          ],
          start: undefined,
        },
        schemaRegistry: {},
        webhooks: { source: { kind: 'kafka', topic: 'certificates.webhook-configurations' }, requireSealed: false },
        intake: { maxRecords: 10_000, maxBytes: 64 * 1024 * 1024, maxRecordBytes: 8 * 1024 * 1024, maxSpan: 50_000 },
        retry: {
          topicPrefix: 'certificate-webhooks.retry',
          delaysMs: [10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 129_600_000],
        },
        deadLetters: { topic: 'certificate-webhooks.dead-letter' },
        results: { topic: undefined, include: ['deliveries'] },
        handoff: { compression: 'none' },
        delivery: {
          timeoutMs: 15_000,
          connectTimeoutMs: 5_000,
          maxInFlight: 512,
          maxInFlightPerEndpoint: 16,
          maxWaitingPerEndpoint: 256,
          maxIdleConnections: 2_048,
          maxAgeMs: 72 * 3_600_000,
          userAgent: 'certificate-webhooks',
          eventTypeHeader: undefined,
          idHeader: undefined,
        },
        egress: { allowedPorts: [{ first: 443, last: 443 }] },
        circuit: { failures: 10, cooldownMs: 30_000 },
        http: { host: '::', port: 8_080 },
        endpointsOf: undefined,
        log: { level: 'info', deliveries: 'all' },
        shutdown: { graceMs: 25_000 },
      },
    });
  });
});

describe('parseSettings', () => {
  it('counts an empty variable as unset', () => {
    const empty = { DELIVERY_TIMEOUT: '', DELIVERY_USER_AGENT: '  ', KAFKA_SASL_PASSWORD: '', DELIVERY_CA_FILE: '' };
    expect(parse(empty)).toEqual(parse({}));
    expect(problemsOf({ KAFKA_BROKERS: '' })).toEqual([
      'KAFKA_BROKERS is not set: expected a comma-separated list, without duplicates, each host:port, with an IPv6 address in brackets',
    ]);
  });

  it('ignores spaces around a value', () => {
    expect(parse({ LOG_LEVEL: ' debug\n' })).toMatchObject({ settings: { log: { level: 'debug' } } });
  });

  it('keeps spaces in a password', () => {
    const parsed = parse({ ...login, KAFKA_SASL_PASSWORD: ' pass word ' });
    expect(parsed.kind === 'ok' && parsed.settings.kafka.sasl?.secret.value.reveal()).toBe(' pass word ');
  });

  it('groups the parts of a login', () => {
    const registry = { SCHEMA_REGISTRY_URL: 'https://registry, https://other/apis/', SCHEMA_REGISTRY_USERNAME: 'u' };
    expect(parse({ ...login, ...registry, SCHEMA_REGISTRY_PASSWORD: 'p', KAFKA_TLS: 'true' })).toMatchObject({
      settings: {
        kafka: {
          sasl: { mechanism: 'plain', username: 'service', secret: { file: undefined } },
          tls: { enabled: true },
        },
        schemaRegistry: { urls: ['https://registry', 'https://other/apis'], username: 'u' },
      },
      warnings: [],
    });
  });

  it('prints no secret, however the settings are printed', () => {
    const parsed = parse({ ...login, KAFKA_SASL_PASSWORD: 'hush', DELIVERY_PROXY_URL: 'http://user:hush@proxy' });
    expect(parsed.kind).toBe('ok');
    expect(JSON.stringify(parsed)).not.toContain('hush');
  });

  it('returns all problems at once, each with the value found and the value expected', () => {
    const environment = { DELIVERY_TIMEOUT: '15', RETRY_DELAYS: '10s,5s', HTTP_PORT: '80800', LOG_LEVEL: 'loud' };
    expect(problemsOf(environment)).toEqual([
      'RETRY_DELAYS is "10s,5s", with "5s" in it: expected a list, strictly ascending',
      'DELIVERY_TIMEOUT is "15": expected a duration from 100ms to 10m',
      'HTTP_PORT is "80800": expected a whole number from 0 to 65535',
      'LOG_LEVEL is "loud": expected one of trace, debug, info, warn, error, fatal, silent',
    ]);
  });

  it('returns problems between variables in addition to those of single ones', () => {
    const problems = problemsOf({ LOG_LEVEL: 'loud', DELIVERY_TIMEOUT: '21s', DELIVERY_CONNECT_TIMEOUT: 'x' });
    expect(problems.map((problem) => problem.split(' ', 1).join(''))).toEqual([
      'DELIVERY_CONNECT_TIMEOUT',
      'LOG_LEVEL',
      'DELIVERY_TIMEOUT',
    ]);
  });

  it('never prints a wrong secret', () => {
    const problems = problemsOf({ DELIVERY_PROXY_URL: 'socks://user:hush@proxy', KAFKA_BROKERS: 'user:hush@a:9092' });
    expect(problems).toHaveLength(2);
    expect(problems.join()).toContain('DELIVERY_PROXY_URL is [secret]');
    expect(problems.join()).not.toContain('hush');
  });

  it('refuses a secret that is set twice', () => {
    const problems = problemsOf({ DELIVERY_PROXY_URL: 'http://proxy', DELIVERY_PROXY_URL_FILE: '/proxy' });
    expect(problems).toEqual([
      'DELIVERY_PROXY_URL is [secret]: expected only one of DELIVERY_PROXY_URL and DELIVERY_PROXY_URL_FILE to be set',
    ]);
  });

  it('refuses to turn off certificate verification', () => {
    const parsed = parse({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(parsed).toMatchObject({ kind: 'problems', problems: [{ variable: 'NODE_TLS_REJECT_UNAUTHORIZED' }] });
    expect(problemsOf({ NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([]);
  });

  it('warns with and without problems', () => {
    const warnings = ['RETRY_DELAY is not a setting; did you mean RETRY_DELAYS?'];
    expect(parse({ RETRY_DELAY: '1s' })).toMatchObject({ kind: 'ok', warnings });
    expect(parse({ RETRY_DELAY: '1s', LOG_LEVEL: 'loud' })).toMatchObject({ kind: 'problems', warnings });
  });
});

const login = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'service', KAFKA_SASL_PASSWORD: 'p' };
