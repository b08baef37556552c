import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/settings/parse-settings.ts';
import { template, type Values } from '../support/helm/helm.ts';
import { helmVersions, type HelmVersion } from '../support/helm/tools.ts';
import { needs } from '../support/programs/needs.ts';

const brokers = { KAFKA_BROKERS: 'kafka:9092' };
const tokens = {
  KAFKA_SASL_MECHANISM: 'oauthbearer',
  KAFKA_OAUTH_TOKEN_URL: 'https://idp.example.com/token',
  KAFKA_OAUTH_CLIENT_ID: 'webhooks',
};
const login = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'webhooks' };

/** Returns Helm's error message for these values. */
async function refusal(values: Values, helm?: HelmVersion): Promise<string> {
  return template(values, helm && { helm }).then(() => 'accepted', String);
}

describe('values that the schema does not know', needs('helm'), () => {
  it.each<[path: string, values: Values]>([
    ['replicaCount', { replicaCount: 2 }],
    ['KAFKA_BROKER', { settings: { KAFKA_BROKER: 'kafka:9092' } }],
    ['lagTreshold', { autoscaling: { keda: { lagTreshold: 1 } } }],
    ['CertificateWebhooksAbsnt', { prometheusRule: { alerts: { CertificateWebhooksAbsnt: { enabled: false } } } }],
    ['confgMap', { webhookConfigurations: { confgMap: 'hooks' } }],
    ['KAFKA_PASSWORD', { settingsFrom: { KAFKA_PASSWORD: { secret: 'kafka', key: 'password' } } }],
    ['existingSecretKeys', { existingSecret: 'kafka', existingSecretKeys: ['TOKEN'] }],
  ])('are refused by name: %s', async (path, values) => {
    expect(await refusal({ settings: brokers, ...values })).toContain(path);
  });
});

describe('settings that the service refuses', needs('helm'), () => {
  it.each<[name: string, value: string]>([
    ['KAFKA_BROKERS', 'kafka'],
    ['KAFKA_TLS', 'yes'],
    ['KAFKA_SESSION_TIMEOUT', '15'],
    ['CERTIFICATE_TOPICS', 'a=certificate completed'],
    ['CERTIFICATE_START', 'beginning'],
    ['WEBHOOK_CONFIGURATIONS', 'certificates.webhook-configurations'],
    ['INTAKE_MAX_BYTES', '64MB'],
    ['RETRY_DELAYS', '1m,10s'],
    ['DELIVERY_ALLOWED_PORTS', 'https'],
    ['DELIVERY_ALLOWED_NETWORKS', '10.0.0.0'],
    ['DELIVERY_MAX_IN_FLIGHT', '1.5'],
    ['DELIVERY_ID_HEADER', 'X Id'],
    ['LOG_LEVEL', 'verbose'],
    ['DELIVERY_CONNECT_TIMEOUT', '15s'],
    ['SHUTDOWN_GRACE', '19s'],
    ['DELIVERY_MAX_IN_FLIGHT_PER_ENDPOINT', '1000'],
    ['DELIVERY_MAX_WAITING_PER_ENDPOINT', '20000'],
    ['KAFKA_SASL_USERNAME', 'webhooks'],
    ['KAFKA_TLS_CA_FILE', '/ca.crt'],
    ['WEBHOOK_REQUIRE_SEALED', 'true'],
    ['DEAD_LETTER_TOPIC', 'certificates.expired'],
  ])('are refused before a pod starts: %s is %s', async (name, value) => {
    const settings = { ...brokers, [name]: value };
    expect(parseSettings(settings, new Map())).toMatchObject({ kind: 'problems' });
    const expected = name === 'DEAD_LETTER_TOPIC' ? `the topic ${value}` : name;
    expect(await refusal({ settings })).toContain(expected);
  });

  it('are all reported at once', async () => {
    const settings = { ...login, DELIVERY_TIMEOUT: '30s', DELIVERY_CONNECT_TIMEOUT: '40s' };
    const names = [
      'KAFKA_BROKERS must be set',
      'KAFKA_SASL_PASSWORD is missing',
      'DELIVERY_CONNECT_TIMEOUT is 40s',
      'SHUTDOWN_GRACE is 25s',
    ];
    const message = await refusal({ settings });
    expect(names.filter((name) => !message.includes(name))).toEqual([]);
  });
});

describe('values that do not work', needs('helm'), () => {
  const settings = brokers;
  it.each<[message: string, values: Values]>([
    ['settings.KAFKA_BROKERS must be set', {}],
    ['settings.KAFKA_SASL_PASSWORD is a secret', { settings: { ...settings, ...login, KAFKA_SASL_PASSWORD: 'hush' } }],
    ['settings.DELIVERY_PROXY_URL is a secret', { settings: { ...settings, DELIVERY_PROXY_URL: 'http://proxy:3128' } }],
    ['KAFKA_SASL_PASSWORD is missing', { settings: { ...settings, ...login } }],
    ['KAFKA_TLS_KEY_FILE is missing', { settings: { ...settings, KAFKA_TLS: true, KAFKA_TLS_CERT_FILE: '/tls.crt' } }],
    [
      'KAFKA_SASL_PASSWORD is set twice',
      {
        settings: { ...settings, ...login, KAFKA_SASL_PASSWORD_FILE: '/password' },
        settingsFrom: { KAFKA_SASL_PASSWORD: { secret: 'kafka', key: 'password' } },
      },
    ],
    [
      'KAFKA_OAUTH_TOKEN_URL is missing, but KAFKA_SASL_MECHANISM and KAFKA_OAUTH_CLIENT_ID and KAFKA_OAUTH_CLIENT_SECRET are set: set it in settings',
      {
        settings: { ...settings, KAFKA_SASL_MECHANISM: 'oauthbearer', KAFKA_OAUTH_CLIENT_ID: 'webhooks' },
        existingSecret: 'kafka',
      },
    ],
    ['KAFKA_OAUTH_CLIENT_SECRET is missing', { settings: { ...settings, ...tokens } }],
    [
      'KAFKA_SASL_USERNAME is set, but settings.KAFKA_SASL_MECHANISM is oauthbearer: remove one of them',
      { settings: { ...settings, ...tokens, KAFKA_SASL_USERNAME: 'webhooks' }, existingSecret: 'kafka' },
    ],
    [
      'KAFKA_OAUTH_SCOPE is set, but settings.KAFKA_SASL_MECHANISM is not oauthbearer: remove one of them',
      { settings: { ...settings, ...login, KAFKA_OAUTH_SCOPE: 'kafka' }, existingSecret: 'kafka' },
    ],
    [
      'KAFKA_SASL_MECHANISM is missing, but KAFKA_OAUTH_TOKEN_URL and KAFKA_OAUTH_CLIENT_ID are set',
      { settings: { ...settings, ...tokens, KAFKA_SASL_MECHANISM: '' } },
    ],
    [
      'KAFKA_BROKERS is set twice',
      { settings, settingsFrom: { KAFKA_BROKERS: { configMap: 'kafka', key: 'brokers' } } },
    ],
    ['existingSecretKeys needs a Secret', { settings, existingSecretKeys: ['DELIVERY_CA_FILE'] }],
    ['none of its keys is used', { settings, existingSecret: 'webhooks' }],
    [
      'settingsFrom.DELIVERY_CA_FILE',
      { settings, settingsFrom: { DELIVERY_CA_FILE: { secret: 'a', configMap: 'b', key: 'c' } } },
    ],
    [
      'settingsFrom.DELIVERY_CA_FILE must have either a secret or a configMap',
      { settings, settingsFrom: { DELIVERY_CA_FILE: { secret: 'a', configMap: 'b' } } },
    ],
    [
      'settingsFrom.KAFKA_TLS_CERT_FILE must have either a secret or a configMap with a key, or the content',
      { settings: { ...settings, KAFKA_TLS: true }, settingsFrom: { KAFKA_TLS_CERT_FILE: { secret: 'a' } } },
    ],
    [
      'settingsFrom.DELIVERY_CA_FILE must have either a secret or a configMap',
      { settings, settingsFrom: { DELIVERY_CA_FILE: { content: 'pem', key: 'a' } } },
    ],
    [
      'KAFKA_SASL_PASSWORD',
      { settings: { ...settings, ...login }, settingsFrom: { KAFKA_SASL_PASSWORD: { content: 'hush' } } },
    ],
    [
      'KAFKA_SASL_PASSWORD',
      { settings: { ...settings, ...login }, settingsFrom: { KAFKA_SASL_PASSWORD: { configMap: 'a', key: 'b' } } },
    ],
    ['webhookConfigurations has both', { settings, webhookConfigurations: { secret: 'a', configMap: 'b' } }],
    [
      'webhookConfigurations are both set',
      { settings: { ...settings, WEBHOOK_CONFIGURATIONS: 'kafka:hooks' }, webhookConfigurations: { secret: 'a' } },
    ],
    ['extraEnv has LOG_LEVEL', { settings, extraEnv: [{ name: 'LOG_LEVEL', value: 'debug' }] }],
    [
      'extraEnv has KAFKA_SASL_PASSWORD_FILE',
      { settings, extraEnv: [{ name: 'KAFKA_SASL_PASSWORD_FILE', value: '/x' }] },
    ],
    ['settings.HTTP_PORT is 0', { settings: { ...settings, HTTP_PORT: 0 } }],
    ['settings.HTTP_HOST', { settings: { ...settings, HTTP_HOST: '127.0.0.1' } }],
    ['autoscaling.minReplicas is 5', { settings, autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 4 } }],
    [
      'autoscaling.maxReplicas is 13',
      { settings, autoscaling: { enabled: true, maxReplicas: 13 }, strimzi: { enabled: true, cluster: 'kafka' } },
    ],
    [
      'which KEDA cannot read',
      { settings: { ...settings, KAFKA_TLS: true, KAFKA_TLS_CA_FILE: '/ca.crt' }, autoscaling: { enabled: true } },
    ],
    ['no node with a pod could be drained', { settings, podDisruptionBudget: { maxUnavailable: 0 } }],
    ['no node with a pod could be drained', { settings, podDisruptionBudget: { maxUnavailable: '', minAvailable: 2 } }],
    [
      'no node with a pod could be drained',
      { settings, podDisruptionBudget: { maxUnavailable: '', minAvailable: '51%' } },
    ],
    [
      'no node with a pod could be drained',
      {
        settings,
        replicas: 9,
        autoscaling: { enabled: true },
        podDisruptionBudget: { maxUnavailable: '', minAvailable: 2 },
      },
    ],
    [
      'podDisruptionBudget has both maxUnavailable and minAvailable',
      { settings, podDisruptionBudget: { minAvailable: 1 } },
    ],
    ['podDisruptionBudget has neither', { settings, podDisruptionBudget: { maxUnavailable: '' } }],
    ['strimzi.cluster must be', { settings, strimzi: { enabled: true } }],
    [
      'strimzi and topicsJob would both',
      { settings, strimzi: { enabled: true, cluster: 'kafka' }, topicsJob: { enabled: true } },
    ],
    [
      'KAFKA_SASL_PASSWORD comes from the Secret webhooks, but Strimzi writes it to the namespace kafka: copy it to learning',
      {
        settings: {
          ...settings,
          KAFKA_TLS: true,
          KAFKA_SASL_MECHANISM: 'scram-sha-512',
          KAFKA_SASL_USERNAME: 'webhooks',
        },
        existingSecret: 'webhooks',
        strimzi: { enabled: true, cluster: 'kafka', namespace: 'kafka' },
      },
    ],
    ['every write would fail', { settings, strimzi: { enabled: true, cluster: 'kafka', topics: { replicas: 1 } } }],
    ['serviceMonitor and podMonitor', { settings, serviceMonitor: { enabled: true }, podMonitor: { enabled: true } }],
    [
      'networkPolicy.egress must allow the proxy',
      { settings, settingsFrom: { DELIVERY_PROXY_URL: { secret: 'a', key: 'b' } }, networkPolicy: { enabled: true } },
    ],
    ['image.tag is latest', { settings, image: { tag: 'latest' } }],
  ])('are refused with the fix: %s', async (message, values) => {
    expect(await refusal(values)).toContain(message);
  });
});

describe('a value of the wrong type', needs('helm'), () => {
  it.each<Values>([
    { replicas: '2' },
    { autoscaling: { kind: 'vpa' } },
    { image: { digest: 'sha256:1234' } },
    { serviceMonitor: { interval: '30 seconds' } },
    { networkPolicy: { kafka: { ports: [0] } } },
    { podLabels: { 'sidecar.istio.io/inject': false } },
  ])('is refused: %j', async (values) => {
    const [name = ''] = Object.keys(values);
    expect(await refusal({ settings: brokers, ...values })).toContain(name);
  });
});

describe('every version of Helm', needs('helm'), () => {
  it.each(helmVersions)('refuses: %s', async (helm) => {
    expect(await refusal({ settings: { KAFKA_BROKER: 'kafka:9092' } }, helm)).toContain('KAFKA_BROKER');
    expect(await refusal({ settings: { ...brokers, HTTP_PORT: 0 } }, helm)).toContain('settings.HTTP_PORT is 0');
  });
});
