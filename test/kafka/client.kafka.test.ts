import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKafka, type KafkaSasl } from '../../src/kafka/client.ts';
import type { KafkaLogEntry } from '../../src/kafka/client-log.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createAuthority } from '../support/authority.ts';
import type { LocalCluster } from '../support/kafka/local-cluster.ts';
import { saslListener } from '../support/kafka/security.ts';
import { startLocalCluster } from '../support/kafka/start-local-cluster.ts';

const authority = createAuthority();
const entries: KafkaLogEntry[] = [];
let cluster: LocalCluster;

beforeAll(async () => {
  const listener = saslListener('SECURE', { users: { service: 'right-password' }, identity: authority.issue() });
  cluster = await startLocalCluster({ listeners: [listener] });
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

function clientOf(sasl: KafkaSasl, ca = authority.certificate) {
  return createKafka({
    purpose: 'reading',
    brokers: cluster.addressesOf('SECURE'),
    clientId: 'test',
    tls: { ca },
    sasl,
    log: (entry) => entries.push(entry),
  });
}

const withPassword = (password: () => string): KafkaSasl => ({
  mechanism: 'plain',
  username: 'service',
  password: () => new Secret(password()),
});

describe('a client of a secured cluster', () => {
  it('is let in with its password, over TLS', async () => {
    using kafka = clientOf(withPassword(() => 'right-password'));
    const admin = kafka.admin();
    await admin.connect();
    expect((await admin.describeCluster()).brokers).toHaveLength(1);
    await admin.disconnect();
  });

  it('is let in once its password is the right one, and names neither in its log', async () => {
    let password = 'wrong-password';
    using kafka = clientOf(withPassword(() => password));
    const admin = kafka.admin();
    await expect(admin.connect()).rejects.toThrow(/[Aa]uthentication failed/v);
    password = 'right-password';
    await admin.connect();
    await admin.disconnect();
    expect(entries.length).toBeGreaterThan(0);
    expect(JSON.stringify(entries)).not.toMatch(/(?:wrong|right)-password/v);
  });
});
