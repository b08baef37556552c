import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { json } from '../../support/builders.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { eventually } from '../../support/time/eventually.ts';
import { produce } from '../../support/kafka/records.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { needs } from '../../support/programs/needs.ts';
import { createProducers, type Producers } from '../../support/registry/producers.ts';
import { asAvro, publishedSchemas } from '../../support/registry/published.ts';
import { longestStartMs, startRegistry, type RealRegistry } from '../../support/registry/real-registry.ts';
import { startRegistryProxy, switchedOff, type RegistryProxy } from '../../support/registry/registry-proxy.ts';
import { runService, type ServiceUnderTest } from '../../support/service/service-under-test.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const avsc = Object(JSON.parse(publishedSchemas().avsc));

const shared = new AsyncDisposableStack();
let registry: RealRegistry;
let producers: Producers;

beforeAll(async () => {
  registry = shared.use(await startRegistry());
  producers = createProducers(registry.url);
}, longestStartMs);

afterAll(async () => shared.disposeAsync());

interface RegistryEnvironment extends AsyncDisposable {
  readonly platform: Platform;
  readonly subscriber: Subscriber;
  /** The proxy between the service and the registry. */
  readonly proxy: RegistryProxy;
  run(variables?: Environment): Promise<ServiceUnderTest>;
  /** Encodes a certificate with a new schema, which the service does not know yet. */
  unseen(): Promise<Buffer>;
}

async function startEnvironment(partitions = 1): Promise<RegistryEnvironment> {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startRegistryProxy(registry.url));
  const platform = stack.use(await startPlatform({ partitions }));
  const subscriber = aSubscriber(platform);
  await platform.configure(subscriber.configuration());
  const owned = stack.move();
  let schemas = 0;
  return {
    platform,
    subscriber,
    proxy,
    run: async (variables = {}) =>
      runService({ ...platform.environment, SCHEMA_REGISTRY_URL: proxy.url, ...variables }),
    unseen: async () => {
      schemas += 1;
      const schema = { ...avsc, name: `Certificate${schemas}`, namespace: subscriber.ownerId.replace('.', '_') };
      const writer = await producers.avro(schema);
      return writer.write(asAvro(subscriber.certificate({ _id: `certificate-${schemas}` })));
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  };
}

/** Returns the ids of the delivered certificates, in order of arrival. */
function delivered({ subscriber }: RegistryEnvironment): readonly string[] {
  return subscriber.requests.map(({ body }) => (JSON.parse(body.toString()) as { _id: string })._id);
}

const failures = (service: ServiceUnderTest, kind: string): Promise<number | undefined> =>
  service.metric(`schema_registry_failures_total{kind="${kind}"}`);

describe('a schema registry that is down', needs('java', 'maven'), () => {
  it('delays only records that need it, from the start on, and loses none', async () => {
    await using environment = await startEnvironment(2);
    const { platform, subscriber, proxy } = environment;
    const topic = platform.topics.completed;
    proxy.intercept(switchedOff);
    const value = json(subscriber.certificate({ _id: 'plain' }));
    const places = await produce(platform.kafka, topic, [
      { value },
      { value: await environment.unseen() },
      { value },
      { value, partition: 1 },
    ]);
    const [before, framed, behind, beside] = places;
    await using service = await environment.run();
    expect(await service.logged('schema_registry.failed')).toMatchObject([{ level: 'warn', kind: 'unreachable' }]);
    expect(
      await service.settled(
        topic,
        [before, beside].filter((place) => place !== undefined),
      ),
    ).toEqual(['delivered', 'delivered']);
    await eventually('the records before it are committed', async () => {
      const commits = await committedOffsets(platform.kafka, { group: `${platform.topics.tierPrefix}.group`, topic });
      return commits.map(({ offset }) => offset).join() === '1,1';
    });
    expect(await service.metric('unsettled_records')).toBe(0);
    expect(await service.metric(`paused_partitions{topic="${topic}",reason="schema"}`)).toBe(1);

    proxy.intercept(undefined);
    expect(
      await service.settled(
        topic,
        [framed, behind].filter((place) => place !== undefined),
      ),
    ).toEqual(['delivered', 'delivered']);
    expect(delivered(environment).toSorted()).toEqual(['certificate-1', 'plain', 'plain', 'plain']);
    expect(await failures(service, 'unreachable')).toBeGreaterThan(0);
    expect(await platform.deadLetters()).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });

  it('neither blocks a stop nor a new instance, and causes no repeated delivery', async () => {
    await using environment = await startEnvironment(2);
    const { platform, proxy } = environment;
    const topic = platform.topics.completed;
    await using first = await environment.run();
    const value = await environment.unseen();
    expect(await first.settled(topic, await platform.complete(value))).toEqual(['delivered']);
    proxy.intercept(switchedOff);
    const other = await environment.unseen();
    await produce(platform.kafka, topic, [{ value: other }, { value: other, partition: 1 }]);
    await first.logged('schema_registry.failed');

    // The second instance has an empty cache, so it cannot read framed records.
    await using second = await environment.run();
    await second.logged('schema_registry.failed');
    expect(await first.stop()).toBe(true);
    expect(delivered(environment)).toEqual(['certificate-1']);

    // A record that becomes readable during the rebalance would be consumed twice: before it and after it.
    await second.logged('consumer.joined', 4);
    proxy.intercept(undefined);
    await second.logged('delivery.attempted', 2, { outcome: 'delivered' });
    expect(delivered(environment)).toEqual(['certificate-1', 'certificate-2', 'certificate-2']);
    expect(await platform.deadLetters()).toEqual([]);
    expect(await second.unaccounted()).toBe(0);
  });
});
