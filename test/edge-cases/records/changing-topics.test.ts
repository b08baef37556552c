import type { Admin } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { eventually } from '../../support/time/eventually.ts';
import { topicsInSync } from '../../support/kafka/topics.ts';
import { certificates, webhookAt, startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { runService } from '../../support/service/service-under-test.ts';

// The service checks its topics every 30 seconds.
describe('certificate topics that change while the service runs', () => {
  it('are read from the first record after they are deleted and recreated', async () => {
    await using platform = await startPlatform();
    const { kafka, topics } = platform;
    await platform.configure(webhookAt(platform, '/a'));
    await using service = await runService(platform.environment);
    await platform.complete(...certificates(4));
    await received(platform, 4);
    await eventually('all are committed', async () => (await platform.commits())[0]?.offset === 4);
    await using admin = await connectAdmin(kafka);
    await admin.deleteTopics({ topics: [topics.completed] });
    await service.logged('topic.gone', 1, { topic: topics.completed });
    const paused = `paused_partitions{topic="${topics.completed}",reason="topic_missing"}`;
    expect(await service.metric(paused)).toBe(1);
    await eventually('the name is free again', () =>
      admin.createTopics({ waitForLeaders: false, topics: [{ topic: topics.completed }] }),
    );
    await topicsInSync(kafka, [{ topic: topics.completed }]);
    // More records than before: a consumer that kept its old offset would skip the first ones.
    await platform.complete(...certificates(6, { title: 'recreated' }));
    await received(platform, 10);
    await service.stop();
    const recreated = platform.endpoint.requests
      .filter(({ body }) => body.includes('recreated'))
      .map(({ body }) => String(body));
    expect(new Set(recreated).size).toBe(6);
    // No record was read before the service noticed the new topic.
    expect(recreated).toHaveLength(6);
    expect(await platform.commits()).toMatchObject([{ partition: 0, offset: 6 }]);
  });
});

it('partitions that wait for a deleted configurations topic are paused for it until it is filled again', async () => {
  await using platform = await startPlatform();
  const { kafka, topics } = platform;
  await platform.configure(webhookAt(platform, '/a'));
  await using service = await runService(platform.environment);
  // An instance that had not read the whole topic waits until its successor is accepted.
  await eventually('the configurations are read', async () => (await service.get('/readyz')).status === 200);
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topics.configurations] });
  await platform.complete(...certificates(1));
  const paused = `paused_partitions{topic="${topics.completed}",reason="configurations"}`;
  await eventually('the partition is paused', async () => (await service.metric(paused)) === 1);
  expect(platform.endpoint.requests).toEqual([]);
  await createConfigurations(platform, admin);
  await platform.configure(webhookAt(platform, '/a'));
  await received(platform, 1);
  await eventually('the partition is read on', async () => (await service.metric(paused)) === 0);
});

describe('a configurations topic that is deleted and recreated while no instance runs', () => {
  it('holds an instance that starts, until it is accepted, although no certificate was ever read', async () => {
    await using platform = await startPlatform();
    const { kafka, topics } = platform;
    const [one, other] = [webhookAt(platform, '/one'), webhookAt(platform, '/other')];
    await platform.configure(one, other);
    const before = await runService(platform.environment);
    await eventually('the commits name the topic', async () => isNamed(await platform.commits()));
    await before.stop();
    await using admin = await connectAdmin(kafka);
    await admin.deleteTopics({ topics: [topics.configurations] });
    await createConfigurations(platform, admin);
    await platform.configure(one);
    await platform.complete(...certificates(1));

    await using service = new ServiceProcess(platform.environment);
    const [held] = await service.logged('configurations.held');
    expect(held).toMatchObject({ found: 1 });
    await platform.configure(other);
    await platform.remove(acceptanceKey);
    const [replaced] = await service.logged('configurations.replaced');
    expect(replaced).toMatchObject({ found: 2 });
    await service.ready();
    await received(platform, 2);
  });
});

async function createConfigurations({ kafka, topics }: Platform, admin: Pick<Admin, 'createTopics'>): Promise<void> {
  const topic = topics.configurations;
  const configEntries = [{ name: 'cleanup.policy', value: 'compact' }];
  await eventually('the name is free again', () =>
    admin.createTopics({ waitForLeaders: false, topics: [{ topic, configEntries }] }),
  );
  await topicsInSync(kafka, [{ topic }]);
}

function isNamed(commits: readonly { readonly metadata: string }[]): boolean {
  return commits.length > 0 && commits.every(({ metadata }) => metadata.includes('#'));
}

async function received({ endpoint }: Platform, count: number): Promise<void> {
  await eventually(`${count} requests`, async () => Promise.resolve(endpoint.requests.length >= count));
}
