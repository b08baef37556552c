import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../src/cli/command.ts';
import { effectiveSettings } from '../../src/settings/environment.ts';
import { variableEntries, type VariableName } from '../../src/settings/variables.ts';
import { createAuthority } from '../support/tls/authority.ts';
import type { Values } from '../support/helm/helm.ts';
import type { Container } from '../support/kubernetes/container.ts';
import { needs } from '../support/programs/needs.ts';
import { deploy, problemsIn } from './deployed.ts';

const brokers = { KAFKA_BROKERS: 'kafka:9092' };
const authority = createAuthority();
const client = authority.issue();

/** A value other than the default, for each setting. */
const samples: Readonly<Record<VariableName, string>> = {
  KAFKA_BROKERS: 'kafka-1:9092,kafka-2:9092',
  KAFKA_CLIENT_ID: 'hooks',
  KAFKA_GROUP_ID: 'hooks-green',
  KAFKA_TLS: 'true',
  KAFKA_TLS_CA_FILE: authority.certificate,
  KAFKA_TLS_CERT_FILE: client.certificate,
  KAFKA_TLS_KEY_FILE: client.key,
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: 'webhooks: "the" user\'s {{ name }}',
  KAFKA_SASL_PASSWORD: ' p$(KAFKA_BROKERS) ',
  KAFKA_OAUTH_TOKEN_URL: 'https://idp.example.com/token?p=kafka',
  KAFKA_OAUTH_CLIENT_ID: 'webhooks: "the" client\'s {{ name }}',
  KAFKA_OAUTH_CLIENT_SECRET: ' s$(KAFKA_BROKERS) ',
  KAFKA_OAUTH_SCOPE: 'kafka read',
  KAFKA_SESSION_TIMEOUT: '20s',
  CERTIFICATE_TOPICS: 'everything,expired=certificate_expired',
  CERTIFICATE_START: '2026-01-31T00:00:00+01:00',
  SCHEMA_REGISTRY_URL: 'https://registry.example.com/apis',
  SCHEMA_REGISTRY_CA_FILE: authority.certificate,
  SCHEMA_REGISTRY_USERNAME: 'reader',
  SCHEMA_REGISTRY_PASSWORD: 'read',
  WEBHOOK_CONFIGURATIONS: 'kafka:webhooks',
  WEBHOOK_KEYS_FILE: JSON.stringify({ keys: [{ kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }] }),
  WEBHOOK_REQUIRE_SEALED: 'true',
  INTAKE_MAX_RECORDS: '10000000',
  INTAKE_MAX_BYTES: '1GiB',
  INTAKE_MAX_SPAN: '1234567',
  RECORD_MAX_BYTES: '16MiB',
  RETRY_TOPIC_PREFIX: 'hooks.again',
  RETRY_DELAYS: '500ms, 30s, 90s, 2h',
  DEAD_LETTER_TOPIC: 'hooks.dead',
  HANDOFF_COMPRESSION: 'gzip',
  RESULTS_TOPIC: 'hooks.results',
  RESULTS_INCLUDE: 'deliveries,records',
  DELIVERY_TIMEOUT: '10s',
  DELIVERY_CONNECT_TIMEOUT: '2500ms',
  DELIVERY_MAX_IN_FLIGHT: '1000',
  DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT: '8',
  DELIVERY_MAX_WAITING_PER_ENDPOINT: '1000',
  DELIVERY_MAX_IDLE_CONNECTIONS: '0',
  DELIVERY_MAX_AGE: '240h',
  DELIVERY_ALLOWED_PORTS: '443,9000-9100',
  DELIVERY_ALLOWED_NETWORKS: '10.0.0.0/8,fd00::/8',
  DELIVERY_DENIED_NETWORKS: '10.1.0.0/16',
  DELIVERY_CA_FILE: authority.certificate,
  DELIVERY_PROXY_URL: 'http://user:password@proxy.example.com:3128',
  DELIVERY_USER_AGENT: 'certificates/1.0 (+https://example.com) $(KAFKA_BROKERS) $$',
  DELIVERY_EVENT_TYPE_HEADER: 'X-Event-Type',
  DELIVERY_ID_HEADER: 'X-Delivery-Id',
  CIRCUIT_FAILURES: '3',
  CIRCUIT_COOLDOWN: '1m',
  HTTP_HOST: '0.0.0.0',
  HTTP_PORT: '9090',
  ENDPOINTS_OF: '[fd00::1]:9090',
  LOG_LEVEL: 'debug',
  LOG_DELIVERIES: 'failed',
  SHUTDOWN_GRACE: '1m',
};

const isOutside = ({ secret, file }: { readonly secret?: true; readonly file?: true }): boolean =>
  secret ?? file ?? false;
const outside = variableEntries.filter(([, variable]) => isOutside(variable)).map(([name]) => name);
const inValues = variableEntries.filter(([, variable]) => !isOutside(variable)).map(([name]) => name);

/** Returns the settings of a process as `check-config` prints them, by name. */
function effective({ environment }: Container): Readonly<Record<string, string>> {
  const all = effectiveSettings(environment).flatMap(({ settings }) => settings);
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}

describe('every setting of the service', needs('helm'), () => {
  const filesPath = '/etc/certificate-webhooks/files';

  it.each([
    { mechanism: 'scram-sha-512', unused: /^KAFKA_OAUTH_/ },
    { mechanism: 'oauthbearer', unused: /^KAFKA_SASL_(?:USERNAME|PASSWORD)$/ },
  ])('reaches the container unchanged, from the values or from a Secret: $mechanism', async ({ mechanism, unused }) => {
    const isUsed = (name: string): boolean => !unused.test(name);
    const sampleOf = (name: string): string =>
      name === 'KAFKA_SASL_MECHANISM' ? mechanism : samples[name as VariableName];
    const keys = outside.filter(isUsed);
    const webhooks = Object.fromEntries(keys.map((name) => [name, sampleOf(name)]));
    const values = {
      settings: Object.fromEntries(inValues.filter(isUsed).map((name) => [name, sampleOf(name)])),
      existingSecret: 'webhooks',
      existingSecretKeys: keys,
    };
    const { container } = await deploy(values, { secrets: { webhooks } });
    const arrived = variableEntries.map(([name, { secret, file }]) => {
      if (!isUsed(name)) return [name, '-'];
      if (file === true) return [name, `${filesPath}/${name}`];
      return [name, secret === true ? `[secret] in ${filesPath}/${name}` : sampleOf(name)];
    });
    expect(effective(container)).toEqual(Object.fromEntries(arrived));
    expect(Object.fromEntries(container.files)).toEqual(
      Object.fromEntries(keys.map((name) => [`${filesPath}/${name}`, sampleOf(name)])),
    );
    expect(await problemsIn(container)).toEqual([]);
  });

  it('can be set to its default', async () => {
    const defaults = variableEntries.flatMap(([name, variable]) =>
      variable.default === undefined ? [] : [[name, variable.default] as const],
    );
    const explicit = await deploy({ settings: { ...brokers, ...Object.fromEntries(defaults) } });
    const implicit = await deploy({ settings: brokers });
    expect(await problemsIn(explicit.container)).toEqual([]);
    expect(effective(explicit.container)).toEqual(effective(implicit.container));
  });

  it('counts as unset if it is empty or null', async () => {
    const empty = Object.fromEntries(inValues.map((name, index) => [name, index % 2 === 0 ? '' : null]));
    const [{ container }, implicit] = [
      await deploy({ settings: { ...empty, ...brokers } }),
      await deploy({ settings: brokers }),
    ];
    expect(effective(container)).toEqual(effective(implicit.container));
  });

  it.each<[about: string, settings: Values, arrived: Values]>([
    [
      'a number',
      { DELIVERY_MAX_IN_FLIGHT: 600, INTAKE_MAX_SPAN: 100_000_000 },
      { DELIVERY_MAX_IN_FLIGHT: '600', INTAKE_MAX_SPAN: '100000000' },
    ],
    ['a zero', { DELIVERY_MAX_IDLE_CONNECTIONS: 0 }, { DELIVERY_MAX_IDLE_CONNECTIONS: '0' }],
    [
      'a boolean',
      { KAFKA_TLS: true, WEBHOOK_REQUIRE_SEALED: false },
      { KAFKA_TLS: 'true', WEBHOOK_REQUIRE_SEALED: 'false' },
    ],
    [
      'a list',
      { RETRY_DELAYS: ['10s', '1m'], KAFKA_BROKERS: ['a:1', 'b:2'] },
      { RETRY_DELAYS: '10s,1m', KAFKA_BROKERS: 'a:1,b:2' },
    ],
    [
      'a list of numbers',
      { DELIVERY_ALLOWED_PORTS: [443, '9000-9100', 65_535] },
      { DELIVERY_ALLOWED_PORTS: '443,9000-9100,65535' },
    ],
    ['a port alone', { DELIVERY_ALLOWED_PORTS: 8443 }, { DELIVERY_ALLOWED_PORTS: '8443' }],
    ['text with spaces around', { RETRY_DELAYS: ' 10s , 1m ' }, { RETRY_DELAYS: '10s , 1m' }],
    ['a day', { CERTIFICATE_START: '2026-01-31' }, { CERTIFICATE_START: '2026-01-31' }],
  ])('can be written as plain YAML: %s', async (_about, written, arrived) => {
    const { container } = await deploy({ settings: { ...brokers, ...written } });
    expect(container.environment).toMatchObject(arrived);
    expect(await problemsIn(container)).toEqual([]);
  });
});

describe('the grace period of the pods', needs('helm'), () => {
  it.each([
    ['25s', 30],
    ['20500ms', 26],
    ['5m', 305],
    ['1h', 3605],
    ['', 30],
  ])('leaves 5 s after a SHUTDOWN_GRACE of %s', async (grace, seconds) => {
    const { pods } = await deploy({ settings: { ...brokers, SHUTDOWN_GRACE: grace } });
    expect(pods.spec.terminationGracePeriodSeconds).toBe(seconds);
  });
});

describe('the container', needs('helm'), () => {
  it('runs the service with only the content of the image', async () => {
    const { container } = await deploy({ settings: brokers });
    expect(parseCommand(container.args)).toEqual({ kind: 'serve' });
    expect(container.environment).toEqual({ ...brokers, ENDPOINTS_OF: 'hooks-certificate-webhooks:8080' });
  });

  it('is probed on the port that it listens on', async () => {
    const { ports, livenessProbe, readinessProbe, startupProbe } = (
      await deploy({ settings: { ...brokers, HTTP_PORT: 9999 } })
    ).pods.container;
    expect(ports).toEqual([{ name: 'http', containerPort: 9999 }]);
    expect(livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
    // A pod that waits for Kafka is not ready, but must not be restarted.
    expect(startupProbe?.httpGet).toEqual({ path: '/livez', port: 'http' });
  });
});
