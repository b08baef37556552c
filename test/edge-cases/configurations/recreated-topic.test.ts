import { describe, expect, it } from 'vitest';
import { connectAdmin } from '../../support/kafka/client.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { dropMembers } from '../../support/kafka/members.ts';
import { produce } from '../../support/kafka/records.ts';
import { topicsInSync } from '../../support/kafka/topics.ts';
import { groupsOf, startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { runService, type ServiceUnderTest } from '../../support/service/service-under-test.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { eventually } from '../../support/time/eventually.ts';

describe('a configurations topic that is deleted and created again', () => {
  it('makes no certificate unclaimed and no retry unsubscribed, until half of it is there again', async () => {
    await using platform = await startPlatform({ delays: ['1s', '2s', '4s'] });
    const { topics } = platform;
    const [first, second, ...others] = Array.from({ length: 4 }, () => aSubscriber(platform, { answers: [500, 200] }));
    if (first === undefined || second === undefined) throw new Error('there are four subscribers');
    await platform.configure(...[first, second, ...others].map((one) => one.configuration()));
    await using service = await runService(platform.environment);
    await platform.complete(first.certificate());
    await service.logged('delivery.attempted', 1, { ownerId: first.ownerId, attempt: 1 });

    await deleteTopic(platform);
    await service.logged('topics.missing');
    expect(await readiness(service)).toEqual({
      status: 503,
      missing: [expect.stringMatching(/^the topic .*: it does not exist. Create it \(topics --create\) and write all/)],
    });
    expect(await service.metric('webhook_configurations_lag_records')).toBe(4);
    await createTopic(platform);
    await service.logged('configurations.held', 1, { found: 0, expected: 4 });
    const waiting = await platform.complete(first.certificate(), second.certificate());
    // The retry uses the last good state.
    await service.logged('delivery.attempted', 1, { ownerId: first.ownerId, attempt: 2, outcome: 'delivered' });
    expect(await readiness(service)).toEqual({
      status: 503,
      missing: [expect.stringMatching(/holds 0 of 4\. Write the others again, or confirm .*: configurations accept$/)],
    });
    expect(await service.metric('webhook_configurations_lag_records')).toBe(4);
    expect(await service.metric(`records_settled_total{topic="${topics.completed}",result="unclaimed"}`)).toBe(0);

    await platform.configure(first.configuration(), second.configuration());
    expect(await service.settled(topics.completed, waiting)).toEqual(['delivered', 'retried']);
    await service.logged('configurations.replaced', 1, { found: 2, expected: 4 });
    expect(await readiness(service)).toEqual({ status: 200, missing: [] });
    expect(await service.metric('webhook_configurations_lag_records')).toBe(0);
    expect(service.log.filter(({ event }) => event === 'delivery.unsubscribed')).toEqual([]);
  });
});

describe('a service that is restarted after its configurations topic was created again', () => {
  it('waits until the topic is filled, and makes no certificate unclaimed', async () => {
    await using platform = await startPlatform();
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    await using before = new ServiceProcess(platform.environment);
    await before.ready();
    await eventually('it is remembered', async () => (await memoryOf(platform)).startsWith('k1:1@'));
    await deleteTopic(platform);
    await createTopic(platform);
    await before.logged('configurations.held');
    const waiting = await platform.complete(subscriber.certificate());
    before.signal('SIGKILL');
    await before.exited();
    await dropMembers(platform.kafka, groupsOf(platform));

    await using after = new ServiceProcess(platform.environment);
    const [held] = await after.logged('configurations.held');
    expect(held).toMatchObject({ found: 0, expected: 1 });
    const args = ['redeliver', '--dry-run', '--since', '1h', '--configuration', subscriber.webhookId];
    await using redelivering = new ServiceProcess(platform.environment, args);
    await eventually('the command waits too', async () =>
      Promise.resolve(redelivering.errors.some((line) => line.includes('was created again and holds 0 of 1'))),
    );
    await platform.configure(subscriber.configuration());
    await after.logged('configurations.replaced');
    expect(await redelivering.exited()).toEqual({ code: 0, signal: null });
    expect(redelivering.output).toContain('deliveries to be put into the first tier: 1');
    const [settled] = await after.logged('record.settled');
    expect(settled).toMatchObject({ ...waiting[0], result: 'delivered' });
  });
});

async function memoryOf({ kafka, topics, environment }: Platform): Promise<string> {
  const group = `${environment['KAFKA_GROUP_ID']}.configurations`;
  const [partition] = await committedOffsets(kafka, { group, topic: topics.deadLetters });
  return partition?.metadata ?? '';
}

describe('a configurations topic that gets another partition', () => {
  it('keeps removed webhooks removed, while the service runs and after each start', async () => {
    await using platform = await startPlatform();
    const { kafka, topics } = platform;
    const [kept, ...removed] = Array.from({ length: 4 }, () => aSubscriber(platform));
    if (kept === undefined) throw new Error('there are four subscribers');
    await platform.configure(...[kept, ...removed].map((one) => one.configuration()));
    const completeAll = async (service: ServiceUnderTest): Promise<void> => {
      const certificates = [...removed, kept].map((one) => one.certificate());
      const places = await platform.complete(...certificates);
      const gone = removed.map(() => 'unclaimed');
      expect(await service.settled(topics.completed, places)).toEqual([...gone, 'delivered']);
      expect(await service.metric('webhook_configurations{state="active"}')).toBe(1);
    };
    {
      await using service = await runService(platform.environment);
      await using admin = await connectAdmin(kafka);
      await admin.createPartitions({ topicPartitions: [{ topic: topics.configurations, count: 2 }] });
      await topicsInSync(kafka, [{ topic: topics.configurations, partitions: 2 }]);
      await produce(
        kafka,
        topics.configurations,
        removed.map(({ webhookId }) => ({ key: webhookId, value: null, partition: 1 })),
      );
      await service.logged('configurations.duplicated', 1, { topic: topics.configurations });
      await completeAll(service);
    }
    for (let start = 1; start <= 3; start += 1) {
      await using service = await runService(platform.environment);
      await completeAll(service);
    }
    expect(removed.flatMap(({ requests }) => requests)).toEqual([]);
  });
});

async function deleteTopic({ kafka, topics }: Platform): Promise<void> {
  await using admin = await connectAdmin(kafka);
  await admin.deleteTopics({ topics: [topics.configurations] });
}

async function createTopic({ kafka, topics: { configurations: topic } }: Platform): Promise<void> {
  await using admin = await connectAdmin(kafka);
  const configEntries = [{ name: 'cleanup.policy', value: 'compact' }];
  await eventually('the name is free again', () =>
    admin.createTopics({ waitForLeaders: false, topics: [{ topic, configEntries }] }),
  );
  await topicsInSync(kafka, [{ topic }]);
}

async function readiness(service: ServiceUnderTest): Promise<{ readonly status: number; readonly missing: unknown }> {
  const { status, body } = await service.get('/readyz');
  return { status, missing: JSON.parse(body) as unknown };
}
