import { describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { needs } from '../../support/programs/needs.ts';
import { framed } from '../../support/registry/framed.ts';
import { asAvro, asProtobuf, publishedSchemas } from '../../support/registry/published.ts';
import { startOnceWithRegistry } from '../../support/registry/real-registry.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

const { avsc, proto, jsonSchema } = publishedSchemas();

describe('framed records of every format', needs('java', 'maven'), () => {
  const running = startOnceWithRegistry();

  it('are delivered as the same certificate, and JSON unchanged', async () => {
    const { platform, service, producers, complete } = running();
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const document = subscriber.certificate();
    const [avro, protobuf, described, schema] = await Promise.all([
      producers.avro(JSON.parse(avsc)),
      producers.protobuf(proto, { name: 'certificates.Certificate', indexes: [0] }),
      producers.described(proto, 'certificates.Certificate'),
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

  it('are configurations, too, used like any other', async () => {
    const { platform, service, producers, complete } = running();
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
