import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KafkaLogEntry, KafkaOptions, KafkaPassword, KafkaTls } from '../../../src/kafka/client/kafka.ts';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { TopicProducer } from '../../../src/kafka/producer/topic-producer.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { kafkaRemedy } from '../../../src/telemetry/events/kafka-remedy.ts';
import { findTopics } from '../../../src/kafka/topics/topic-admin.ts';
import { createAuthority, expired, type Authority, type Identity } from '../../support/tls/authority.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { setScramPassword } from '../../support/kafka/cluster/kafka-tools.ts';
import type { LocalCluster } from '../../support/kafka/cluster/local-cluster.ts';
import { readTopic } from '../../support/kafka/records.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { needs } from '../../support/programs/needs.ts';
import { fixCredentials } from './secured-service.ts';
import { authority, plainPassword, scramPassword, startSecuredCluster, user } from './secured-cluster.ts';

const entries: KafkaLogEntry[] = [];
let cluster: LocalCluster;

beforeAll(async () => {
  cluster = await startSecuredCluster();
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

type Credentials = Pick<KafkaOptions, 'tls' | 'sasl'>;

function clientOf(listener: string, credentials: Credentials) {
  return createKafka({
    purpose: 'admin',
    brokers: cluster.addressesOf(listener),
    clientId: 'test',
    log: (entry) => entries.push(entry),
    ...credentials,
  });
}

const sasl = (
  mechanism: KafkaPassword['mechanism'],
  password: string | (() => string),
  username = user,
): KafkaPassword => ({
  mechanism,
  username,
  password: () => new Secret(typeof password === 'string' ? password : password()),
});
const trusting = (certificate: string, identity?: Identity) => (): KafkaTls => ({
  ca: certificate,
  cert: identity?.certificate,
  key: identity?.key,
});
const tls = trusting(authority.certificate);
const plain = sasl('plain', plainPassword);

const accepted: readonly (Credentials & { readonly listener: string })[] = [
  { listener: 'PLAIN', tls, sasl: plain },
  { listener: 'SCRAM256', tls, sasl: sasl('scram-sha-256', scramPassword) },
  { listener: 'SCRAM512', tls, sasl: sasl('scram-sha-512', scramPassword) },
  { listener: 'MUTUAL', tls: trusting(authority.certificate, authority.issue()) },
];

const otherAuthority = createAuthority('another authority');

const trustingOther = trusting(otherAuthority.certificate);
const withIdentity = (issuer: Authority, options: Parameters<Authority['issue']>[0] = {}) =>
  trusting(authority.certificate, issuer.issue(options));
const [wrong, nobody] = ['a-wrong-password', sasl('scram-sha-512', scramPassword, 'nobody')];
const [passwordSetting, ownCertificate] = ['KAFKA_SASL_PASSWORD', 'KAFKA_TLS_CERT_FILE'];

/** Credentials that a listener refuses, and the setting that the remedy has to name. */
const refused: readonly (Credentials & Readonly<Record<'what' | 'listener' | 'setting', string>>)[] = [
  { what: 'a wrong password of PLAIN', listener: 'PLAIN', tls, sasl: sasl('plain', wrong), setting: passwordSetting },
  {
    what: 'a wrong password of SCRAM',
    listener: 'SCRAM256',
    tls,
    sasl: sasl('scram-sha-256', wrong),
    setting: passwordSetting,
  },
  { what: 'an unknown user', listener: 'SCRAM512', tls, sasl: nobody, setting: 'KAFKA_SASL_USERNAME' },
  { what: 'another mechanism', listener: 'SCRAM256', tls, sasl: plain, setting: 'KAFKA_SASL_MECHANISM' },
  { what: 'no SASL', listener: 'PLAIN', tls, setting: 'KAFKA_SASL_MECHANISM' },
  { what: 'SASL where the listener has none', listener: 'PLAINTEXT', sasl: plain, setting: 'KAFKA_SASL_MECHANISM' },
  { what: 'another authority', listener: 'PLAIN', tls: trustingOther, sasl: plain, setting: 'KAFKA_TLS_CA_FILE' },
  { what: 'public authorities', listener: 'PLAIN', tls: () => ({}), sasl: plain, setting: 'KAFKA_TLS_CA_FILE' },
  { what: 'no client certificate', listener: 'MUTUAL', tls, setting: ownCertificate },
  {
    what: 'an expired client certificate',
    listener: 'MUTUAL',
    tls: withIdentity(authority, expired()),
    setting: ownCertificate,
  },
  {
    what: "another authority's certificate",
    listener: 'MUTUAL',
    tls: withIdentity(otherAuthority),
    setting: ownCertificate,
  },
  { what: 'no TLS where it is required', listener: 'MUTUAL', setting: 'KAFKA_TLS' },
  { what: 'TLS where the listener has none', listener: 'PLAINTEXT', tls, setting: 'KAFKA_TLS' },
];

async function topicsSeen(listener: string, credentials: Credentials): Promise<readonly string[]> {
  using kafka = clientOf(listener, credentials);
  return await findTopics(kafka);
}

describe('a broker that authenticates clients', needs('java', 'maven'), () => {
  it.each(accepted)('accepts a client at the listener $listener', async ({ listener, ...credentials }) => {
    await expect(topicsSeen(listener, credentials)).resolves.toEqual(expect.any(Array));
  });

  it.each(refused)(
    'refuses a client with $what, and the remedy names $setting',
    async ({ listener, setting, ...credentials }) => {
      const error: unknown = await topicsSeen(listener, credentials).catch((caught: unknown) => caught);
      expect(kafkaRemedy(error)).toContain(setting);
    },
  );

  it('appears in the log of the client without any password', () => {
    expect(entries.length).toBeGreaterThan(0);
    const texts = JSON.stringify(entries);
    for (const secret of [plainPassword, scramPassword, wrong, 'PRIVATE KEY']) expect(texts).not.toContain(secret);
  });
});

describe('connections that must authenticate again', needs('java', 'maven'), () => {
  it('do so while in use, with the current password, and lose nothing', async () => {
    const topic = uniqueName('sessions');
    await createTopics(quietClient(cluster.brokers), [{ topic }]);
    let current = scramPassword;
    const asked: string[] = [];
    const before = entries.length;
    const login = sasl('scram-sha-512', () => {
      asked.push(current);
      return current;
    });
    using kafka = clientOf('SCRAM512', { tls, sasl: login });
    await using producer = new TopicProducer({ kafka, topic, compression: 'zstd' });
    const values: string[] = [];
    const sendUntilAskedAgain = async (times: number): Promise<void> => {
      const enough = asked.length + times;
      while (asked.length < enough) {
        const value = String(values.length);
        await producer.send(0, [{ key: null, value: Buffer.from(value), headers: [] }]);
        values.push(value);
      }
    };
    // SCRAM asks for the password twice.
    await sendUntilAskedAgain(4);
    current = 'the-next-password';
    await setScramPassword(cluster.brokers, { name: user, password: current, mechanism: 'SCRAM-SHA-512' });
    await sendUntilAskedAgain(4);
    const records = await readTopic(quietClient(cluster.brokers), topic);
    expect(records.map(({ value }) => String(value))).toEqual(values);
    expect(entries.slice(before)).toEqual([]);
  });
});

describe('the service', needs('java', 'maven'), () => {
  it('continues by itself when its password was changed at the brokers first, and in its file later', async () => {
    const setPassword = async (password: string): Promise<void> =>
      setScramPassword(cluster.brokers, { name: user, password, mechanism: 'SCRAM-SHA-512' });
    await setPassword('the-first-password');
    const { remedy, delivered, output } = await fixCredentials(cluster, {
      listener: 'SCRAM512',
      environment: (path) => ({
        KAFKA_SASL_MECHANISM: 'scram-sha-512',
        KAFKA_SASL_USERNAME: user,
        KAFKA_SASL_PASSWORD_FILE: path('password'),
      }),
      wrong: { password: 'the-first-password' },
      right: { password: 'the-second-password' },
      invalidate: async () => setPassword('the-second-password'),
    });
    expect(remedy).toContain('KAFKA_SASL_PASSWORD');
    expect(delivered).toBe(1);
    expect(output).not.toMatch(/the-(?:first|second)-password|service\.failed/v);
  });
});
