import { expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { framed } from '../../support/registry/framed.ts';
import { startRegistryServer, type AnswerPath } from '../../support/registry/registry-server.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';
import { eventually } from '../../support/time/eventually.ts';

it('a schema registry that is down delays only records that need it, from the start on, and loses none', async () => {
  let answer: AnswerPath = () => 'hang up';
  await using registry = await startRegistryServer({ answer: (...request) => answer(...request) });
  await using platform = await startPlatform({ partitions: 2 });
  const { kafka, topics, environment } = platform;
  const topic = topics.completed;
  const subscriber = aSubscriber(platform);
  await platform.configure(subscriber.configuration());
  const value = json(subscriber.certificate());
  const records = [{ value }, { value: framed(7, value) }, { value }, { value, partition: 1 }];
  const places = await produce(kafka, topic, records);
  await using service = await runService({ ...environment, SCHEMA_REGISTRY_URL: registry.url });
  expect(await service.logged('schema_registry.failed')).toMatchObject([{ level: 'warn', kind: 'unreachable' }]);
  const plain = [...places.slice(0, 1), ...places.slice(3)];
  expect(await service.settled(topic, plain)).toEqual(['delivered', 'delivered']);
  await eventually('the records before it are committed', async () => {
    return (await platform.commits()).map(({ offset }) => offset).join() === '1,1';
  });
  expect(await service.metric('unsettled_records')).toBe(0);
  expect(await service.metric(`paused_partitions{topic="${topic}",reason="schema"}`)).toBe(1);

  answer = () => ({ body: { schema: '{}', schemaType: 'JSON' } });
  expect(await service.settled(topic, places.slice(1, 3))).toEqual(['delivered', 'delivered']);
  expect(subscriber.requests).toHaveLength(4);
  expect(await service.metric('schema_registry_failures_total{kind="unreachable"}')).toBeGreaterThan(0);
  expect(await platform.deadLetters()).toEqual([]);
  expect(await service.unaccounted()).toBe(0);
});

it('a certificate whose configuration waits for a schema registry that is away is not unclaimed', async () => {
  let answer: AnswerPath = () => ({ status: 503, body: {} });
  await using registry = await startRegistryServer({ answer: (...request) => answer(...request) });
  await using platform = await startPlatform();
  const { kafka, topics, environment } = platform;
  const [known, unknown] = [aSubscriber(platform), aSubscriber(platform)];
  await platform.configure(known.configuration());
  await using service = await runService({ ...environment, SCHEMA_REGISTRY_URL: registry.url });
  const value = framed(7, json(unknown.configuration()));
  await produce(kafka, topics.configurations, [{ key: unknown.webhookId, value }]);
  const places = await platform.complete(unknown.certificate(), known.certificate());
  await eventually('the registry is named', async () => (await service.get('/readyz')).body.includes('registry'));
  expect(service.log.filter(({ event }) => event === 'record.settled')).toEqual([]);
  answer = () => ({ body: { schema: '{}', schemaType: 'JSON' } });
  expect(await service.settled(topics.completed, places)).toEqual(['delivered', 'delivered']);
  expect((await service.get('/readyz')).status).toBe(200);
});
