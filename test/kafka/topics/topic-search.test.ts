import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createKafka } from '../../../src/kafka/kafkajs/create-kafka.ts';
import { fetchTopicStates } from '../../../src/kafka/kafkajs/topic-states.ts';
import { createTierSearch } from '../../../src/kafka/topics/topic-admin.ts';
import { startMemoryKafka } from '../../support/kafka/memory/start-memory-kafka.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';
import { answeringBroker } from '../kafkajs/fetch/answering-broker.ts';

it('asks for all topics of the cluster once for each process, at its start', async () => {
  await using kafka = await startMemoryKafka();
  await using platform = await startPlatform({ brokers: kafka.brokers });
  const listings = vi.spyOn(kafka.broker, 'topics');
  await using first = await runService(platform.environment);
  await using _ = await runService(platform.environment);
  await first.logged('consumer.joined', 4);
  expect(listings).toHaveBeenCalledTimes(2);
});

it('finds a configured tier in the next search, and a retired one within ten minutes', async () => {
  await using kafka = await startMemoryKafka();
  using client = createKafka({ purpose: 'admin', brokers: kafka.brokers, clientId: 'test', log: () => undefined });
  const listings = vi.spyOn(kafka.broker, 'topics');
  const clock = new ManualClock();
  const search = createTierSearch(client, { tiers: ['retry.1m'], tierPrefix: 'retry' }, clock);
  const found: (readonly string[])[] = [await search()];
  for (const topic of ['retry.1m', 'retry.5m', 'other']) kafka.broker.createTopic(topic, 1);
  for (let searches = 0; searches < 40; searches += 1) {
    await clock.advance(30_000);
    found.push(await search());
  }
  expect(found.map((topics) => topics.length)).toEqual([0, ...Array(19).fill(1), ...Array(21).fill(2)]);
  expect(listings).toHaveBeenCalledTimes(3);
});

it('reads the answer about 100,000 partitions in many turns of the event loop', async () => {
  const replicas = Buffer.of(2, 0, 0, 0, 1);
  const partition = Buffer.concat([Buffer.alloc(14), replicas, replicas, replicas, Buffer.alloc(1)]);
  const partitions = Buffer.concat(Array<Buffer>(100).fill(partition));
  const topic = Buffer.concat([Buffer.of(0, 0, 2, 97), Buffer.alloc(17), Buffer.of(101), partitions, Buffer.alloc(5)]);
  const answer = [
    Buffer.alloc(5),
    Buffer.of(1, 0),
    Buffer.alloc(4),
    Buffer.of(0xe9, 7),
    ...Array<Buffer>(1000).fill(topic),
  ];
  const broker = answeringBroker(() => Buffer.concat(answer));
  const decoding = new AbortController();
  const states = fetchTopicStates(broker, undefined).finally(() => decoding.abort());
  let turns = 0;
  while (!decoding.signal.aborted) {
    await setImmediate();
    turns += 1;
  }
  expect(await states).toMatchObject({ ids: new Map([['a', '0'.repeat(32)]]), brokers: [], controllerId: 0 });
  expect(turns).toBeGreaterThan(40);
});
