import { describe, expect, it } from 'vitest';
import { connectAdmin } from '../../support/kafka/client.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { dropMembers } from '../../support/kafka/members.ts';
import { topicsInSync } from '../../support/kafka/topics.ts';
import { groupsOf, startPlatform, type Platform } from '../../support/service/platform.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { eventually } from '../../support/time/eventually.ts';

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
