import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KafkaLogEntry } from '../../../src/kafka/client/kafka.ts';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { requestToken } from '../../../src/kafka/oauth/token-request.ts';
import { TokenSource } from '../../../src/kafka/oauth/token-source.ts';
import { TopicProducer } from '../../../src/kafka/producer/topic-producer.ts';
import { runTopicsWithSettings } from '../../../src/cli/topics.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Secret } from '../../../src/lib/secret.ts';
import type { Environment } from '../../../src/settings.ts';
import { kafkaRemedy } from '../../../src/telemetry/events/kafka-remedy.ts';
import { findTopics } from '../../../src/kafka/topics/topic-admin.ts';
import { aCertificateDocument } from '../../support/builders.ts';
import { mountSecret, type MountedSecret } from '../../support/files/mounted-secret.ts';
import { quietClient } from '../../support/kafka/client.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { findFreePorts } from '../../support/kafka/cluster/ports.ts';
import { allowedUrl, oauthListener } from '../../support/kafka/cluster/security.ts';
import { startLocalCluster } from '../../support/kafka/cluster/start-local-cluster.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { needs } from '../../support/programs/needs.ts';
import { startPlatform, webhookAt, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { createAuthority } from '../../support/tls/authority.ts';
import { startIdentityProvider, type IdentityProvider } from '../../support/tls/identity-provider.ts';
import { settingsFrom } from '../../support/service/default-settings.ts';

const authority = createAuthority();
const clientId = 'certificate-webhooks';
const audience = 'kafka';
const firstSecret = 'the-first-client-secret';

let provider: IdentityProvider;
let cluster: LocalCluster;

beforeAll(async () => {
  const identity = authority.issue();
  provider = await startIdentityProvider({ identity, clientId, clientSecret: firstSecret, audience, lifeSeconds: 300 });
  const { keysUrl } = provider;
  cluster = await startLocalCluster({
    listeners: [oauthListener('OAUTH', { keysUrl, audience, identity })],
    flags: [allowedUrl(keysUrl)],
  });
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const entries: KafkaLogEntry[] = [];

function clientOf(source: TokenSource) {
  return createKafka({
    purpose: 'admin',
    brokers: cluster.addressesOf('OAUTH'),
    clientId: 'test',
    tls: () => ({ ca: authority.certificate }),
    sasl: { mechanism: 'oauthbearer', tokens: source },
    log: (entry) => entries.push(entry),
  });
}

function tokenSource(): TokenSource {
  return new TokenSource({
    endpoint: provider.tokenUrl,
    request: async () =>
      requestToken({
        url: provider.tokenUrl,
        clientId,
        clientSecret: new Secret(provider.clientSecret),
        scope: undefined,
        certificateAuthorities: [authority.certificate],
        nowMs: Date.now(),
        signal: new AbortController().signal,
      }),
    events: { tokenFetched: () => undefined, tokenFailed: () => undefined },
    clock: systemClock,
  });
}

async function listTopics(source: TokenSource): Promise<readonly string[]> {
  using kafka = clientOf(source);
  return await findTopics(kafka);
}

describe('a broker that verifies tokens', needs('java', 'maven'), () => {
  it('accepts a client with a token, which connections share', async () => {
    const source = tokenSource();
    const before = provider.requests.length;
    await Promise.all([listTopics(source), listTopics(source)]);
    await listTopics(source);
    expect(provider.requests.length - before).toBe(1);
  });

  it('refuses a token for others, and the remedy names what to compare', async () => {
    provider.audience = 'others';
    const error: unknown = await listTopics(tokenSource()).catch((caught: unknown) => caught);
    provider.audience = audience;
    expect(String(error)).toContain('the broker refuses the token: {"status":"invalid_token"}');
    expect(kafkaRemedy(error)).toContain('KAFKA_OAUTH_SCOPE');
  });

  it('keeps connections in use whose tokens expire, and loses nothing', async () => {
    const topic = uniqueName('tokens');
    await createTopics(quietClient(cluster.brokers), [{ topic }]);
    provider.lifeSeconds = 6;
    const before = entries.length;
    const [first, values] = [provider.requests.length, [] as string[]];
    using kafka = clientOf(tokenSource());
    await using producer = new TopicProducer({ kafka, topic, compression: 'none' });
    while (provider.requests.length < first + 4) {
      const value = String(values.length);
      await producer.send(0, [{ key: null, value: Buffer.from(value), headers: [] }]);
      values.push(value);
    }
    provider.lifeSeconds = 300;
    const records = await readTopic(quietClient(cluster.brokers), topic);
    expect(records.map(({ value }) => String(value))).toEqual(values);
    expect(entries.slice(before)).toEqual([]);
  });
});

function environmentOf(platform: Platform, secret: MountedSecret): Environment {
  return {
    ...platform.environment,
    KAFKA_BROKERS: cluster.addressesOf('OAUTH').join(),
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: secret.path('ca.pem'),
    KAFKA_SASL_MECHANISM: 'oauthbearer',
    KAFKA_OAUTH_TOKEN_URL: provider.tokenUrl,
    KAFKA_OAUTH_CLIENT_ID: clientId,
    KAFKA_OAUTH_CLIENT_SECRET_FILE: secret.path('secret'),
    KAFKA_OAUTH_SCOPE: 'kafka read',
  };
}

const filesWith = (secret: string) => ({ 'ca.pem': authority.certificate, secret: `${secret}\n` });

/** Waits for a failed request for a token with that text, after which the last token is valid for at most that long. */
async function tokenFailed(service: ServiceProcess, text: string, validForMs: number): Promise<void> {
  for (let count = 1; ; count += 1) {
    const line = (await service.logged('token.failed', count)).at(-1);
    if (String(line?.['failure']).includes(text) && Number(line?.['validForMs']) <= validForMs) return;
  }
}

async function readyz(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
  return `${response.status} ${await response.text()}`;
}

describe('the service with oauthbearer', needs('java', 'maven'), () => {
  it('waits for the token endpoint, goes on while tokens expire and secrets change, and never shows either', async () => {
    await using platform = await startPlatform({ brokers: cluster.brokers });
    await using secret = await mountSecret(filesWith(firstSecret));
    const port = await findFreePorts(1);
    await platform.configure(webhookAt(platform, '/hook'));
    provider.lifeSeconds = 8;
    await provider.stop();
    await using service = new ServiceProcess({
      ...environmentOf(platform, secret),
      HTTP_PORT: String(port),
      LOG_LEVEL: 'trace',
      KAFKA_SESSION_TIMEOUT: '6s',
    });
    await tokenFailed(service, 'ECONNREFUSED', 0);
    const [unreachable] = await service.logged('kafka.unreachable');
    expect(unreachable?.['remedy']).toContain('KAFKA_OAUTH_TOKEN_URL');
    expect(await readyz(port)).toMatch(/^503 .*a token: https:\/\/127.0.0.1:\d+\/token cannot be reached/v);

    await provider.restart();
    await service.logged('service.started');
    await platform.complete(aCertificateDocument());
    await platform.endpoint.received(1);
    const { form } = provider.requests.at(-1) ?? {};
    expect(form).toEqual({ grant_type: 'client_credentials', scope: 'kafka read' });

    // The provider takes the new secret only. The file has it once the last token has expired.
    provider.clientSecret = 'the-second-client-secret';
    await tokenFailed(service, 'answers 401 invalid_client', 0);
    expect(await readyz(port)).toMatch(/^503 .*a token: .* answers 401 invalid_client/v);
    await secret.replace(filesWith('the-second-client-secret'));
    await service.logged('credentials.reloaded');
    await platform.complete(aCertificateDocument());
    await platform.endpoint.received(2);

    const output = [...service.output, ...service.errors].join('\n');
    expect(output).not.toMatch(/the-(?:first|second)-client-secret|eyJ|service\.failed/v);
    provider.lifeSeconds = 300;
  });
});

describe('a command with oauthbearer', needs('java', 'maven'), () => {
  it('reads the cluster, or names the setting to change', async () => {
    await using platform = await startPlatform({ brokers: cluster.brokers });
    await using secret = await mountSecret(filesWith(provider.clientSecret));
    const run = async (environment: Environment) => {
      const settings = await settingsFrom(environment);
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const { signal } = new AbortController();
      const code = await runTopicsWithSettings(settings, { create: false }, { signal, out: print, err: print });
      return { code, text: lines.join('\n') };
    };
    const good = environmentOf(platform, secret);
    expect((await run(good)).text).toContain(platform.topics.completed);
    const wrong = await run({ ...good, KAFKA_OAUTH_CLIENT_ID: 'another' });
    expect(wrong.code).toBe(1);
    expect(wrong.text).toMatch(/answers 401 invalid_client .*KAFKA_OAUTH_CLIENT_ID/v);
  });
});
