import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { produce } from '../../support/kafka/records.ts';
import { needs } from '../../support/programs/needs.ts';
import { createProducers, type Producers } from '../../support/registry/producers.ts';
import { longestStartMs, startRegistry, type RealRegistry } from '../../support/registry/real-registry.ts';
import { startRegistryProxy, switchedOff } from '../../support/registry/registry-proxy.ts';
import { startPlatform } from '../../support/service/platform.ts';
import { runService } from '../../support/service/service-under-test.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';

const shared = new AsyncDisposableStack();
let registry: RealRegistry;
let producers: Producers;

beforeAll(async () => {
  registry = shared.use(await startRegistry());
  producers = createProducers(registry.url);
}, longestStartMs);

afterAll(async () => shared.disposeAsync());

async function startEnvironment() {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startRegistryProxy(registry.url));
  const delays = ['500ms', '1s', '2s', '4s', '8s'];
  const platform = stack.use(await startPlatform({ delays }));
  const owned = stack.move();
  let schemas = 0;
  return {
    platform,
    proxy,
    run: async () => runService({ ...platform.environment, SCHEMA_REGISTRY_URL: proxy.url }),
    /** Writes a configuration with a new schema, which the service does not know yet. */
    configureFramed: async (subscriber: Subscriber) => {
      schemas += 1;
      const fields = ['_id', '_ownerId', 'url'].map((name) => ({ name, type: 'string' }));
      const name = `Configuration${schemas}`;
      const namespace = subscriber.ownerId.replace(/\W/g, '_');
      const writer = await producers.avro({ type: 'record', name, namespace, fields });
      const value = await writer.write(subscriber.configuration());
      await produce(platform.kafka, platform.topics.configurations, [{ key: subscriber.webhookId, value }]);
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  };
}

describe('a framed configuration whose schema is not there', needs('java', 'maven'), () => {
  it('holds back nobody else while the registry is away, and is applied once it is back', async () => {
    await using environment = await startEnvironment();
    const { platform, proxy } = environment;
    const [other, known, late] = [aSubscriber(platform), aSubscriber(platform), aSubscriber(platform)];
    await platform.configure(other.configuration(), known.configuration());
    await using service = await environment.run();
    proxy.intercept(switchedOff);
    for (const subscriber of [known, late]) await environment.configureFramed(subscriber);
    await service.logged('configuration.refused', 2);
    const places = await platform.complete(...[other, known, late].map((subscriber) => subscriber.certificate()));
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered', 'retried', 'unclaimed']);
    expect(await service.metric('webhook_configurations{state="invalid"}')).toBe(2);
    const [refused] = await service.logged('configuration.refused', 1, { configurationId: known.webhookId });
    expect(refused).toMatchObject({
      ownerId: known.ownerId,
      problems: [expect.stringMatching(/^is framed with schema \d+, which the schema registry has not given yet$/)],
    });
    proxy.intercept(undefined);
    await service.logged('delivery.attempted', 1, { ownerId: known.ownerId, outcome: 'delivered' });
    expect(await service.settled(platform.topics.completed, await platform.complete(late.certificate()))).toEqual([
      'delivered',
    ]);
    expect(await service.metric('webhook_configurations{state="invalid"}')).toBe(0);
    expect(await service.unaccounted()).toBe(0);
  });

  it('applies to a certificate that was written after it, if the registry works', async () => {
    await using environment = await startEnvironment();
    const { platform } = environment;
    await using service = await environment.run();
    for (let turn = 0; turn < 5; turn += 1) {
      const subscriber = aSubscriber(platform);
      await environment.configureFramed(subscriber);
      const places = await platform.complete(subscriber.certificate());
      expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    }
    expect(service.log.filter(({ event }) => event === 'configuration.refused')).toEqual([]);
  });
});
