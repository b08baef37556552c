import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { needs } from '../../support/programs/needs.ts';
import { framed } from '../../support/registry/framed.ts';
import { createProducers, type Producers } from '../../support/registry/producers.ts';
import { asAvro, asProtobuf, publishedSchemas } from '../../support/registry/published.ts';
import { longestStartMs, startRegistry } from '../../support/registry/real-registry.ts';
import { runService, type ServiceUnderTest } from '../../support/service/service-under-test.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

const parts = new AsyncDisposableStack();
let platform: Platform;
let service: ServiceUnderTest;
let producers: Producers;

const { avsc, proto, jsonSchema } = publishedSchemas();
const message = { name: 'certificates.Certificate', indexes: [0] };

beforeAll(async () => {
  const registry = parts.use(await startRegistry());
  producers = createProducers(registry.url);
  platform = parts.use(await startPlatform({ environment: { SCHEMA_REGISTRY_URL: `${registry.url}/` } }));
  service = parts.use(await runService(platform.environment));
}, longestStartMs);

afterAll(async () => parts.disposeAsync());

/** Writes the values as completed certificates. Resolves to their settlement results. */
async function complete(...values: readonly Buffer[]): Promise<readonly unknown[]> {
  return service.settled(platform.topics.completed, await platform.complete(...values));
}

describe('records of every format in one topic', needs('java', 'maven'), () => {
  it('are delivered as the same certificate, and JSON unchanged', async () => {
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const document = subscriber.certificate();
    const [avro, protobuf, described, schema] = await Promise.all([
      producers.avro(JSON.parse(avsc)),
      producers.protobuf(proto, message),
      producers.described(proto, message.name),
      producers.json(JSON.parse(jsonSchema)),
    ]);
    const spaced = framed(schema.schemaId, Buffer.from(JSON.stringify(document, null, 2)));
    const results = await complete(
      await avro.write(asAvro(document)),
      json(document),
      await protobuf.write(asProtobuf(document)),
      await described.write(asProtobuf(document)),
      await schema.write(document),
      spaced,
    );
    expect(results).toEqual(Array(6).fill('delivered'));
    const bodies = subscriber.requests.map(({ body }) => body.toString()).toSorted();
    const compact = JSON.stringify(document);
    expect(bodies).toEqual([spaced.subarray(5).toString(), ...Array<string>(5).fill(compact)].toSorted());
    expect(service.log.filter(({ event }) => String(event).startsWith('schema'))).toEqual([]);
    expect(confidentialLines(service.log)).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });

  it('keep fields that the contract does not list, with exact numbers', async () => {
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const extended = JSON.parse(avsc) as { name: string; fields: unknown[] };
    const level = { type: 'enum', name: 'Level', symbols: ['BASIC', 'EXPERT'] };
    extended.fields.push({ name: 'serial', type: ['null', 'long'] }, { name: 'level', type: level });
    const writer = await producers.avro(extended);
    const document = subscriber.certificate();
    expect(await complete(await writer.write({ ...asAvro(document), serial: 2 ** 53 - 2, level: 'EXPERT' }))).toEqual([
      'delivered',
    ]);
    expect(subscriber.requests[0]?.body.toString()).toBe(
      `${JSON.stringify(document).slice(0, -1)},"serial":9007199254740990,"level":"EXPERT"}`,
    );
  });
});

describe('a schema that changes', needs('java', 'maven'), () => {
  it('leaves records with the old and the new version readable', async () => {
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const subject = `${subscriber.ownerId}-value`;
    const old = await producers.avro(JSON.parse(avsc), [], subject);
    const changed = JSON.parse(avsc) as { fields: { name: string }[] };
    changed.fields = changed.fields.filter(({ name }) => name !== '_badgeId').toReversed();
    changed.fields.push(Object({ name: 'grade', type: 'string', default: 'none' }));
    const current = await producers.avro(changed, [], subject);
    expect(current.schemaId).not.toBe(old.schemaId);
    const document = subscriber.certificate();
    const graded = { ...subscriber.certificate({ _badgeId: undefined }), grade: 'A' };
    expect(
      await complete(
        await old.write(asAvro(document)),
        await current.write(asAvro(graded)),
        await old.write(asAvro(document)),
      ),
    ).toEqual(['delivered', 'delivered', 'delivered']);
    const bodies = subscriber.requests.map(({ body }) => body.toString()).toSorted();
    expect(bodies).toEqual([document, document, graded].map((one) => JSON.stringify(one)).toSorted());
    expect(await service.metric('contract_deviations_total{field="_badgeId"}')).toBe(1);
  });
});

describe('a framed value that is not a certificate', needs('java', 'maven'), () => {
  it('is dead-lettered unchanged if it violates its schema or the contract', async () => {
    const avro = await producers.avro({ type: 'record', name: 'Empty', fields: [] });
    const { schemaId: jsonId } = await producers.json(JSON.parse(jsonSchema));
    const values = [
      framed(avro.schemaId, Buffer.from('secret')),
      framed(jsonId, Buffer.from('{"_id":"secret"')),
      Buffer.from([0, 1]),
      framed(-1, Buffer.of()),
      framed(avro.schemaId, Buffer.of()),
    ];
    expect(await complete(...values)).toEqual(Array(5).fill('dead_lettered'));
    const letters = await platform.deadLetters();
    expect(
      letters.map(({ value, headers }) => [value, headers['dead-letter-reason'], headers['failure-message']]),
    ).toEqual([
      [values[0], 'undecodable', 'the value contradicts its Avro schema: there is more than the schema says'],
      [values[1], 'undecodable', 'the value is not JSON'],
      [values[2], 'undecodable', 'the value is too short to hold a schema id'],
      [values[3], 'undecodable', 'the value has a schema id that no registry gives'],
      [values[4], 'invalid_record', expect.stringContaining('_id must be a non-empty string')],
    ]);
    expect(confidentialLines(service.log, 'secret')).toEqual([]);
  });
});

describe('a framed configuration', needs('java', 'maven'), () => {
  it('is used like any other configuration', async () => {
    const subscriber = aSubscriber(platform);
    const optional = (type: unknown) => ['null', type];
    const field = (name: string, type: unknown) => ({ name, type });
    const auth = {
      type: 'record',
      name: 'Auth',
      fields: [field('authType', 'string'), field('token', optional('string'))],
    };
    const writer = await producers.avro({
      type: 'record',
      name: 'Configuration',
      fields: [
        ...['_id', '_ownerId', 'url'].map((name) => field(name, 'string')),
        field('paused', optional('boolean')),
        field('auth', optional(auth)),
        field('customHeaders', { type: 'map', values: 'string' }),
      ],
    });
    const value = await writer.write({
      ...subscriber.configuration({ auth: { authType: 'bearer_token', token: 'framed-token' } }),
      paused: null,
    });
    await produce(platform.kafka, platform.topics.configurations, [{ key: subscriber.webhookId, value }]);
    expect(await complete(json(subscriber.certificate()))).toEqual(['delivered']);
    expect(subscriber.requests[0]?.header('authorization')).toBe('Bearer framed-token');
    expect(confidentialLines(service.log, 'framed-token')).toEqual([]);
  });
});
