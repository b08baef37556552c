import { describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { connectAdmin } from '../../support/kafka/client.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { eventually } from '../../support/time/eventually.ts';
import { produce } from '../../support/kafka/records.ts';
import { topicsInSync } from '../../support/kafka/topics.ts';
import { certificates, webhookAt, startPlatform, type Platform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';

// The service looks for what is new every 30 seconds.
describe('certificate topics that change while the service runs', { timeout: 120_000 }, () => {
  it('are read from the first record of partitions that are added', async () => {
    await using platform = await startPlatform();
    const { kafka, topics } = platform;
    await platform.configure(webhookAt(platform, '/a'));
    await using service = await runService(platform.environment);
    await platform.complete(...certificates(2));
    await received(platform, 2);
    await using admin = await connectAdmin(kafka);
    await admin.createPartitions({ topicPartitions: [{ topic: topics.completed, count: 3 }] });
    await topicsInSync(kafka, [{ topic: topics.completed, partitions: 3 }]);
    await produce(
      kafka,
      topics.completed,
      certificates(5).map((certificate, index) => ({ value: json(certificate), partition: index < 3 ? 1 : 2 })),
    );
    await received(platform, 7);
    await service.stop();
    expect(await commits(platform)).toEqual({ 0: 2, 1: 3, 2: 2 });
    expect(service.log.filter(({ event }) => event === 'offset.reset')).toEqual([]);
  });

  it('are read from their first record when they were deleted and made anew', async () => {
    await using platform = await startPlatform();
    const { kafka, topics } = platform;
    await platform.configure(webhookAt(platform, '/a'));
    await using service = await runService(platform.environment);
    await platform.complete(...certificates(4));
    await received(platform, 4);
    await eventually('all are committed', async () => (await commits(platform))[0] === 4);
    await using admin = await connectAdmin(kafka);
    await admin.deleteTopics({ topics: [topics.completed] });
    await service.logged('topic.gone', 1, { topic: topics.completed });
    await eventually('the name is free again', () =>
      admin.createTopics({ waitForLeaders: false, topics: [{ topic: topics.completed }] }),
    );
    await topicsInSync(kafka, [{ topic: topics.completed }]);
    // More than there were: whoever went on where it was would pass over the first ones.
    await platform.complete(...certificates(6, { title: 'anew' }));
    await received(platform, 10);
    await service.stop();
    const anew = platform.endpoint.requests.filter(({ body }) => body.includes('anew')).map(({ body }) => String(body));
    expect(new Set(anew).size).toBe(6);
    // Nothing of it was read before it was known to be another topic.
    expect(anew).toHaveLength(6);
    expect(await commits(platform)).toEqual({ 0: 6 });
  });
});

async function received({ endpoint }: Platform, count: number): Promise<void> {
  await eventually(`${count} requests`, async () => Promise.resolve(endpoint.requests.length >= count), {
    withinMs: 90_000,
  });
}

/** By partition of the completed certificates. */
async function commits({ kafka, topics, environment }: Platform): Promise<Readonly<Record<number, number>>> {
  const group = environment['KAFKA_GROUP_ID'] ?? '';
  const found = await committedOffsets(kafka, { group, topic: topics.completed });
  return Object.fromEntries(found.map(({ partition, offset }) => [partition, offset]));
}
