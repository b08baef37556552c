import { beforeAll, describe, expect, it } from 'vitest';
import { downloadTools } from '../support/helm/tools.ts';
import { notes, type Values } from '../support/helm/helm.ts';
import { needs } from '../support/programs/needs.ts';
import { cases } from './cases.ts';

beforeAll(downloadTools, 300_000);

const settings = { KAFKA_BROKERS: 'kafka:9092' };
const peer = { ipBlock: { cidr: '10.1.0.0/16' } };

const tokens = {
  KAFKA_SASL_MECHANISM: 'oauthbearer',
  KAFKA_OAUTH_TOKEN_URL: 'https://idp.example.com/token',
  KAFKA_OAUTH_CLIENT_ID: 'webhooks',
};

describe('the notes after an installation', needs('helm'), () => {
  it.each(Object.entries<Values>(cases))(
    'say what to do next, without gaps and placeholders: %s',
    async (_about, values) => {
      const text = await notes(values);
      expect(text).toContain('kubectl -n learning rollout status deployment/');
      expect(text).not.toMatch(/<no value>|%!|\{\{|map\[|\n{4}/);
    },
  );

  it.each<[about: string, values: Values, words: string]>([
    ['that CERTIFICATE_START is needed', { settings }, 'settings.CERTIFICATE_START=latest'],
    ['how to read the log of the topics Job', { settings, topicsJob: { enabled: true } }, 'component=topics'],
    ['that nothing creates the topics', { settings }, 'topicsJob.enabled or strimzi.enabled'],
    [
      'that topics are kept after the release is removed',
      { settings, strimzi: { enabled: true, cluster: 'kafka' } },
      'KafkaTopic',
    ],
    ['that Kafka connections are in clear text', { settings }, 'KAFKA_TLS is not true'],
    ['that nothing scrapes it', { settings }, 'serviceMonitor.enabled'],
    [
      'what the NetworkPolicy does not let the pods reach',
      {
        settings: { ...settings, SCHEMA_REGISTRY_URL: 'https://registry.example.com' },
        networkPolicy: { enabled: true, dns: { to: [] }, kafka: { to: [peer] } },
      },
      [
        '  networkPolicy.dns.to             the DNS servers',
        '  networkPolicy.schemaRegistry.to  the schema registry\n',
      ].join('\n'),
    ],
    [
      'that the NetworkPolicy does not let the pods reach the brokers',
      { settings, networkPolicy: { enabled: true } },
      '\n\n  networkPolicy.kafka.to           the brokers\n',
    ],
    [
      'that the NetworkPolicy does not let the pods reach the token endpoint',
      { settings: { ...settings, ...tokens }, existingSecret: 'kafka', networkPolicy: { enabled: true } },
      '\n  networkPolicy.tokenEndpoint.to   the token endpoint\n',
    ],
    [
      'that a user with tokens needs permissions of its own',
      { settings: { ...settings, ...tokens }, existingSecret: 'kafka', strimzi: { enabled: true, cluster: 'kafka' } },
      'The chart creates no KafkaUser',
    ],
    ['that a single pod is a gap while it restarts', { settings, replicas: 1 }, 'only one pod'],
  ])('say %s', async (_about, values, words) => {
    expect(await notes(values)).toContain(words);
  });

  it('do not say what does not apply', async () => {
    const complete = {
      settings: { ...settings, CERTIFICATE_START: 'latest', KAFKA_TLS: true },
      topicsJob: { enabled: true },
      podMonitor: { enabled: true },
      networkPolicy: { enabled: true, kafka: { to: [peer] } },
      replicas: 3,
    };
    const text = await notes(complete);
    expect(text).not.toMatch(
      /CERTIFICATE_START is not set|KAFKA_TLS is not true|Nothing scrapes|Nothing creates|does not let|only one pod/,
    );
  });
});
