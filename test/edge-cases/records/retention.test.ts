import { describe, expect, it } from 'vitest';
import { connectAdmin } from '../../support/kafka/client.ts';
import { certificates, webhookAt, startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

describe('a service that was down for longer than the retention of its topics', () => {
  it('continues with the first remaining record, and logs how many records are lost', async () => {
    await using platform = await startPlatform();
    const { topics, kafka, endpoint } = platform;
    await platform.configure(webhookAt(platform, '/a'));
    const before = await runService(platform.environment);
    await platform.complete(...certificates(3));
    await endpoint.received(3);
    await before.stop();
    await platform.complete(...certificates(10));
    await using admin = await connectAdmin(kafka);
    // kafkajs deletes records only from topics whose metadata it has fetched.
    await admin.fetchTopicOffsets(topics.completed);
    await admin.deleteTopicRecords({ topic: topics.completed, partitions: [{ partition: 0, offset: '8' }] });

    await using after = await runService(platform.environment);
    const [reset] = await after.logged('offset.reset');
    await endpoint.received(8);
    expect(reset).toMatchObject({
      level: 'error',
      topic: topics.completed,
      partition: 0,
      from: 3,
      to: 8,
      lostRecords: 5,
    });
    expect(await after.metric(`offset_resets_total{topic="${topics.completed}"}`)).toBe(1);
    await after.stop();
    expect(endpoint.requests).toHaveLength(8);
  });
});
