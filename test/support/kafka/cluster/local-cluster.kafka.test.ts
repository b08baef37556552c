import { describe, expect, inject, it } from 'vitest';
import { needs } from '../../programs/needs.ts';
import { createAuthority } from '../../tls/authority.ts';
import { connectAdmin, quietClient } from '../client.ts';
import { committedOffsets } from '../commits.ts';
import { eventually } from '../../time/eventually.ts';
import { produce, readTopic } from '../records.ts';
import { saslListener, tlsListener } from './security.ts';
import { startLocalCluster } from './start-local-cluster.ts';
import { createTopics, topicsInSync, uniqueName } from '../topics.ts';

describe('the broker of the run', () => {
  it('stores records unchanged', async () => {
    const kafka = quietClient(inject('kafka'));
    const topic = uniqueName('records');
    await createTopics(kafka, [{ topic, partitions: 2, settings: { 'cleanup.policy': 'compact' } }]);
    const places = await produce(kafka, topic, [
      { key: 'a', value: 'first', headers: { one: '1', two: 'zwölf' }, timestamp: 1_700_000_000_000 },
      { key: 'b', value: null, partition: 1 },
      { key: 'c', value: Buffer.of(0, 255) },
    ]);
    expect(places).toEqual([
      { partition: 0, offset: 0 },
      { partition: 1, offset: 0 },
      { partition: 0, offset: 1 },
    ]);
    const [first, second, third] = await readTopic(kafka, topic);
    expect(first).toEqual({
      partition: 0,
      offset: 0,
      timestamp: 1_700_000_000_000,
      key: Buffer.from('a'),
      value: Buffer.from('first'),
      headers: { one: '1', two: 'zwölf' },
      headerList: [
        ['one', Buffer.from('1')],
        ['two', Buffer.from('zwölf')],
      ],
    });
    expect(second).toMatchObject({ offset: 1, value: Buffer.of(0, 255), headers: {} });
    expect(third).toMatchObject({ partition: 1, key: Buffer.from('b'), value: null });
  });

  it('reads nothing from an empty topic, and finds no commits of a new group', async () => {
    const kafka = quietClient(inject('kafka'));
    const topic = uniqueName('empty');
    await createTopics(kafka, [{ topic }]);
    expect(await readTopic(kafka, topic)).toEqual([]);
    expect(await committedOffsets(kafka, { group: uniqueName('group'), topic })).toEqual([]);
  });

  it('reads the commits of a group, with their metadata', async () => {
    const kafka = quietClient(inject('kafka'));
    const [topic, group] = [uniqueName('committed'), uniqueName('group')];
    await createTopics(kafka, [{ topic, partitions: 3 }]);
    await produce(kafka, topic, [{ value: 'one' }]);
    const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 50 });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const { promise: committed, resolve } = Promise.withResolvers<undefined>();
    const eachMessage = async (): Promise<void> => {
      await consumer.commitOffsets([{ topic, partition: 1, offset: '5', metadata: 'w1:' }]);
      resolve(undefined);
    };
    await consumer.run({ autoCommit: false, eachMessage });
    await committed;
    await consumer.disconnect();
    expect(await committedOffsets(kafka, { group, topic })).toEqual([{ partition: 1, offset: 5, metadata: 'w1:' }]);
  });
});

describe('a cluster of three', needs('java', 'maven'), () => {
  it('keeps acknowledged records while one broker crashes and comes back', async () => {
    await using cluster = await startLocalCluster({ brokers: 3 });
    const kafka = quietClient(cluster.brokers);
    const topic = uniqueName('survivor');
    await createTopics(kafka, [{ topic, partitions: 3 }]);
    const each = [0, 1, 2].map((partition) => ({ partition, value: 'kept' }));
    await produce(kafka, topic, each);
    await cluster.kill(2);
    await produce(kafka, topic, each);
    await cluster.start(2);
    await topicsInSync(kafka, [{ topic, partitions: 3 }]);
    // A write may be repeated when its acknowledgement was lost.
    expect((await readTopic(kafka, topic)).length).toBeGreaterThanOrEqual(6);
  });

  it('loses a frozen broker, and gets it back', async () => {
    await using cluster = await startLocalCluster({ brokers: 3 });
    const impatient = quietClient(cluster.brokers.slice(0, 1), { requestTimeout: 1000, retry: { retries: 0 } });
    await using admin = await connectAdmin(impatient);
    // The client asks a random broker, and the frozen one does not answer.
    const unanswered = { brokers: [] };
    const known = async (): Promise<number> => (await admin.describeCluster().catch(() => unanswered)).brokers.length;
    expect(await known()).toBe(3);
    cluster.freeze(3);
    await eventually('two brokers are left', async () => (await known()) === 2);
    cluster.thaw(3);
    await eventually('all are back', async () => (await known()) === 3);
  });
});

describe('a secure listener', needs('java', 'maven'), () => {
  const authority = createAuthority();
  const ca = [authority.certificate];
  const client = authority.issue({ names: ['certificate-webhooks'] });

  it('accepts only clients with the right authority, certificate or password', async () => {
    const identity = authority.issue();
    await using cluster = await startLocalCluster({
      listeners: [
        tlsListener('TLS', { identity }),
        tlsListener('MUTUAL', { identity, clientAuthority: authority.certificate }),
        saslListener('SASL', { users: { alice: 'wonderland' } }),
        saslListener('SASLTLS', { users: { alice: 'wonderland' }, identity }),
      ],
    });
    const sasl = { mechanism: 'plain', username: 'alice', password: 'wonderland' } as const;
    const retry = { retries: 0 };
    const reaches = async (listener: string, options: Parameters<typeof quietClient>[1]): Promise<boolean> => {
      try {
        const kafka = quietClient(cluster.addressesOf(listener), { retry, ...options });
        await using admin = await connectAdmin(kafka);
        return (await admin.describeCluster()).brokers.length === 1;
      } catch {
        return false;
      }
    };
    expect(await reaches('TLS', { ssl: { ca } })).toBe(true);
    expect(await reaches('TLS', { ssl: { ca: [createAuthority('Other').certificate] } })).toBe(false);
    expect(await reaches('MUTUAL', { ssl: { ca, cert: client.certificate, key: client.key } })).toBe(true);
    expect(await reaches('SASL', { sasl })).toBe(true);
    expect(await reaches('SASL', { sasl: { ...sasl, password: 'looking-glass' } })).toBe(false);
    expect(await reaches('SASLTLS', { ssl: { ca }, sasl })).toBe(true);
  });
});
