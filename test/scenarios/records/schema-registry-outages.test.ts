import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { json } from '../../support/builders.ts';
import { committedOffsets } from '../../support/kafka/commits.ts';
import { eventually } from '../../support/time/eventually.ts';
import { produce } from '../../support/kafka/records.ts';
import { longTimeouts, startPlatform, type Platform } from '../../support/service/platform.ts';
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

interface Stage extends AsyncDisposable {
  readonly platform: Platform;
  readonly subscriber: Subscriber;
  /** In front of the registry. */
  readonly proxy: RegistryProxy;
  run(environment?: Environment): Promise<ServiceUnderTest>;
  /** By a schema that nobody has asked for yet. */
  unseen(): Promise<Buffer>;
}

async function setStage(partitions = 1): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startRegistryProxy(registry.url));
  const platform = stack.use(await startPlatform({ partitions, environment: longTimeouts }));
  const subscriber = aSubscriber(platform);
  await platform.configure(subscriber.configuration());
  const owned = stack.move();
  let schemas = 0;
  return {
    platform,
    subscriber,
    proxy,
    run: async (environment = {}) =>
      runService({ ...platform.environment, SCHEMA_REGISTRY_URL: proxy.url, ...environment }),
    unseen: async () => {
      schemas += 1;
      const schema = { ...avsc, name: `Certificate${schemas}`, namespace: subscriber.ownerId.replace('.', '_') };
      const writer = await producers.avro(schema);
      return writer.write(asAvro(subscriber.certificate({ _id: `certificate-${schemas}` })));
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  };
}

/** The ids of the certificates that came, in their order. */
function delivered({ subscriber }: Stage): readonly string[] {
  return subscriber.requests.map(({ body }) => (JSON.parse(body.toString()) as { _id: string })._id);
}

const failures = (service: ServiceUnderTest, kind: string): Promise<number | undefined> =>
  service.metric(`schema_registry_failures_total{kind="${kind}"}`);

describe('a schema registry that is down', needs('java', 'maven'), () => {
  it('at start: what needs it waits, all else goes on, and nothing is lost when it comes up', async () => {
    await using stage = await setStage(2);
    const { platform, subscriber, proxy } = stage;
    const topic = platform.topics.completed;
    proxy.intercept(switchedOff);
    const value = json(subscriber.certificate({ _id: 'plain' }));
    const places = await produce(platform.kafka, topic, [
      { value },
      { value: await stage.unseen() },
      { value },
      { value, partition: 1 },
    ]);
    const [before, framed, behind, beside] = places;
    await using service = await stage.run();
    expect(await service.logged('schema_registry.failed')).toMatchObject([{ level: 'warn', kind: 'unreachable' }]);
    expect(
      await service.settled(
        topic,
        [before, beside].filter((place) => place !== undefined),
      ),
    ).toEqual(['delivered', 'delivered']);
    await eventually('what is in front of it is committed', async () => {
      const commits = await committedOffsets(platform.kafka, { group: `${platform.topics.tierPrefix}.group`, topic });
      return commits.map(({ offset }) => offset).join() === '1,1';
    });
    expect(await service.metric('unsettled_records')).toBe(0);
    expect(await service.metric(`paused_partitions{topic="${topic}"}`)).toBe(1);

    proxy.intercept(undefined);
    expect(
      await service.settled(
        topic,
        [framed, behind].filter((place) => place !== undefined),
      ),
    ).toEqual(['delivered', 'delivered']);
    expect(delivered(stage).toSorted()).toEqual(['certificate-1', 'plain', 'plain', 'plain']);
    expect(await failures(service, 'unreachable')).toBeGreaterThan(0);
    expect(await platform.deadLetters()).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });

  it('in the middle: schemas that are known go on', async () => {
    await using stage = await setStage(2);
    const { platform, proxy } = stage;
    const topic = platform.topics.completed;
    await using service = await stage.run();
    const known = await stage.unseen();
    expect(await service.settled(topic, await platform.complete(known))).toEqual(['delivered']);
    proxy.intercept(switchedOff);
    const unknown = await stage.unseen();
    const waiting = await produce(platform.kafka, topic, [{ value: unknown, partition: 1 }]);
    await service.logged('schema_registry.failed');
    expect(await service.settled(topic, await platform.complete(known, known))).toEqual(['delivered', 'delivered']);
    proxy.intercept(undefined);
    expect(await service.settled(topic, waiting)).toEqual(['delivered']);
    expect(delivered(stage)).toEqual([...Array(3).fill('certificate-1'), 'certificate-2']);
    expect(await service.unaccounted()).toBe(0);
  });

  it('keeps nobody from stopping, nor another instance from joining, and each is delivered once', async () => {
    await using stage = await setStage(2);
    const { platform, proxy } = stage;
    const topic = platform.topics.completed;
    await using first = await stage.run();
    const value = await stage.unseen();
    expect(await first.settled(topic, await platform.complete(value))).toEqual(['delivered']);
    proxy.intercept(switchedOff);
    const other = await stage.unseen();
    await produce(platform.kafka, topic, [{ value: other }, { value: other, partition: 1 }]);
    await first.logged('schema_registry.failed');

    // It has an empty cache, so it can read nothing that is framed.
    await using second = await stage.run();
    await second.logged('schema_registry.failed');
    expect(await first.stop()).toBe(true);
    expect(delivered(stage)).toEqual(['certificate-1']);

    proxy.intercept(undefined);
    await second.logged('delivery.attempted', 2, { outcome: 'delivered' });
    expect(delivered(stage)).toEqual(['certificate-1', 'certificate-2', 'certificate-2']);
    expect(await platform.deadLetters()).toEqual([]);
    expect(await second.unaccounted()).toBe(0);
  });
});

describe('a configuration that is framed with a schema which can not be had', needs('java', 'maven'), () => {
  it('holds back every plan until it is known whose it is', async () => {
    await using stage = await setStage();
    const { platform, subscriber, proxy } = stage;
    const late = aSubscriber(platform, { ownerId: subscriber.ownerId });
    const fields = ['_id', '_ownerId', 'url'].map((name) => ({ name, type: 'string' }));
    const writer = await producers.avro({ type: 'record', name: 'Configuration', namespace: 'late', fields });
    await using service = await stage.run();
    proxy.intercept(switchedOff);
    const value = await writer.write(late.configuration());
    await produce(platform.kafka, platform.topics.configurations, [{ key: late.webhookId, value }]);
    const places = await platform.complete(subscriber.certificate());
    await service.logged('schema_registry.failed');
    expect(subscriber.requests).toEqual([]);
    proxy.intercept(undefined);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    expect([subscriber.requests.length, late.requests.length]).toEqual([1, 1]);
  });
});

describe('a schema registry that answers something else', needs('java', 'maven'), () => {
  it('under a wrong path is no registry that lacks the schema: its records wait', async () => {
    await using stage = await setStage();
    const { platform } = stage;
    await using service = await stage.run({ SCHEMA_REGISTRY_URL: new URL(registry.url).origin });
    await platform.complete(await stage.unseen());
    const told = await service.logged('schema_registry.failed', 1, { kind: 'unexpected' });
    expect(told).toMatchObject([{ failure: expect.stringContaining('the path may be wrong') }]);
    expect(await service.metric('unsettled_records')).toBe(0);
    expect(await platform.deadLetters()).toEqual([]);
  });

  it('without the schema, is asked again: it may be registered a little later', async () => {
    await using stage = await setStage();
    const { platform, proxy } = stage;
    proxy.intercept(() => ({ status: 404, body: { error_code: 40_403, message: 'Schema not found' } }));
    await using service = await stage.run();
    const places = await platform.complete(await stage.unseen());
    expect(await service.logged('schema.unknown')).toMatchObject([{ level: 'warn', retryInMs: 500 }]);
    expect(await platform.deadLetters()).toEqual([]);
    proxy.intercept(undefined);
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    expect(await failures(service, 'unknown_schema')).toBeGreaterThan(0);
  });
});

describe('a schema registry that wants a password', needs('java', 'maven'), () => {
  it('is asked with the one that the file holds by then, which is told to nobody else', async () => {
    await using stage = await setStage();
    await using files = await writeTemporaryFiles({ password: 'hush-old\n' });
    const { platform, proxy } = stage;
    const right = `Basic ${Buffer.from('reader:hush-new').toString('base64')}`;
    const letIn = (authorization: string | undefined): boolean => authorization === right;
    proxy.intercept((_path, { authorization }) => {
      if (letIn(authorization)) proxy.intercept(undefined);
      return { status: 401, body: { error_code: 40_101, message: 'Unauthorized' } };
    });
    await using service = await stage.run({
      SCHEMA_REGISTRY_USERNAME: 'reader',
      SCHEMA_REGISTRY_PASSWORD_FILE: files.path('password'),
    });
    const places = await platform.complete(await stage.unseen());
    await service.logged('schema_registry.failed', 1, { kind: 'refused' });
    await writeFile(files.path('password'), 'hush-new\n');
    expect(await service.settled(platform.topics.completed, places)).toEqual(['delivered']);
    expect(confidentialLines(service.log, 'hush', right.slice('Basic '.length))).toEqual([]);
  });
});
