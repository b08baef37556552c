import { writeFile } from 'node:fs/promises';
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
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber, type Subscriber } from '../../support/service/subscriber.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

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

  it('does not delay records with known schemas', async () => {
    await using environment = await startEnvironment(2);
    const { platform, proxy } = environment;
    const topic = platform.topics.completed;
    await using service = await environment.run();
    const known = await environment.unseen();
    expect(await service.settled(topic, await platform.complete(known))).toEqual(['delivered']);
    proxy.intercept(switchedOff);
    const unknown = await environment.unseen();
    const waiting = await produce(platform.kafka, topic, [{ value: unknown, partition: 1 }]);
    await service.logged('schema_registry.failed');
    expect(await service.settled(topic, await platform.complete(known, known))).toEqual(['delivered', 'delivered']);
    proxy.intercept(undefined);
    expect(await service.settled(topic, waiting)).toEqual(['delivered']);
    expect(delivered(environment)).toEqual([...Array(3).fill('certificate-1'), 'certificate-2']);
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

describe('a schema registry with unexpected answers', needs('java', 'maven'), () => {
  it('delays records if its path is wrong, rather than rejecting them', async () => {
    await using environment = await startEnvironment();
    const { platform } = environment;
    await using service = await environment.run({ SCHEMA_REGISTRY_URL: new URL(registry.url).origin });
    await platform.complete(await environment.unseen());
    const failed = await service.logged('schema_registry.failed', 1, { kind: 'unexpected' });
    expect(failed).toMatchObject([{ failure: expect.stringContaining('the path may be wrong') }]);
    expect(await service.metric('unsettled_records')).toBe(0);
    expect(await platform.deadLetters()).toEqual([]);
  });

  it('is asked again for an unknown schema, which may be registered later', async () => {
    await using environment = await startEnvironment();
    const { platform, proxy } = environment;
    proxy.intercept(() => ({ status: 404, body: { error_code: 40_403, message: 'Schema not found' } }));
    await using service = await environment.run();
    const places = await platform.complete(await environment.unseen());
    expect(await service.logged('schema.unknown')).toMatchObject([{ level: 'warn', retryInMs: 500 }]);
    expect(await platform.deadLetters()).toEqual([]);
    proxy.intercept(undefined);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    expect(await failures(service, 'unknown_schema')).toBeGreaterThan(0);
  });
});

describe('a schema registry with a password', needs('java', 'maven'), () => {
  it('is asked with the current password of the file, which is never logged', async () => {
    await using environment = await startEnvironment();
    await using files = await writeTemporaryFiles({ password: 'hush-old\n' });
    const { platform, proxy } = environment;
    const right = `Basic ${Buffer.from('reader:hush-new').toString('base64')}`;
    const letIn = (authorization: string | undefined): boolean => authorization === right;
    proxy.intercept((_path, { authorization }) => {
      if (letIn(authorization)) proxy.intercept(undefined);
      return { status: 401, body: { error_code: 40_101, message: 'Unauthorized' } };
    });
    await using service = await environment.run({
      SCHEMA_REGISTRY_USERNAME: 'reader',
      SCHEMA_REGISTRY_PASSWORD_FILE: files.path('password'),
    });
    const places = await platform.complete(await environment.unseen());
    await service.logged('schema_registry.failed', 1, { kind: 'refused' });
    await writeFile(files.path('password'), 'hush-new\n');
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    expect(confidentialLines(service.log, 'hush', right.slice('Basic '.length))).toEqual([]);
  });
});
