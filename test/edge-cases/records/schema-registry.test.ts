import { describe, expect, it } from 'vitest';
import { needs } from '../../support/programs/needs.ts';
import { framed } from '../../support/registry/framed.ts';
import { asAvro, publishedSchemas } from '../../support/registry/published.ts';
import { startOnceWithRegistry } from '../../support/registry/start-once-with-registry.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

const running = startOnceWithRegistry();

const { avsc, jsonSchema } = publishedSchemas();

describe('records with more fields than the contract', needs('java', 'maven'), () => {
  it('keep these fields, with exact numbers', async () => {
    const subscriber = aSubscriber(running().platform);
    await running().platform.configure(subscriber.configuration());
    const extended = JSON.parse(avsc) as { name: string; fields: unknown[] };
    const level = { type: 'enum', name: 'Level', symbols: ['BASIC', 'EXPERT'] };
    extended.fields.push({ name: 'serial', type: ['null', 'long'] }, { name: 'level', type: level });
    const writer = await running().producers.avro(extended);
    const document = subscriber.certificate();
    expect(
      await running().complete(await writer.write({ ...asAvro(document), serial: 2 ** 53 - 2, level: 'EXPERT' })),
    ).toEqual(['delivered']);
    expect(subscriber.requests[0]?.body.toString()).toBe(
      `${JSON.stringify(document).slice(0, -1)},"serial":9007199254740990,"level":"EXPERT"}`,
    );
  });
});

describe('a schema that changes', needs('java', 'maven'), () => {
  it('leaves records with the old and the new version readable', async () => {
    const subscriber = aSubscriber(running().platform);
    await running().platform.configure(subscriber.configuration());
    const subject = `${subscriber.ownerId}-value`;
    const old = await running().producers.avro(JSON.parse(avsc), [], subject);
    const changed = JSON.parse(avsc) as { fields: { name: string }[] };
    changed.fields = changed.fields.filter(({ name }) => name !== '_badgeId').toReversed();
    changed.fields.push(Object({ name: 'grade', type: 'string', default: 'none' }));
    const current = await running().producers.avro(changed, [], subject);
    expect(current.schemaId).not.toBe(old.schemaId);
    const document = subscriber.certificate();
    const graded = { ...subscriber.certificate({ _badgeId: undefined }), grade: 'A' };
    expect(
      await running().complete(
        await old.write(asAvro(document)),
        await current.write(asAvro(graded)),
        await old.write(asAvro(document)),
      ),
    ).toEqual(['delivered', 'delivered', 'delivered']);
    const bodies = subscriber.requests.map(({ body }) => body.toString()).toSorted();
    expect(bodies).toEqual([document, document, graded].map((one) => JSON.stringify(one)).toSorted());
    expect(await running().service.metric('contract_deviations_total{field="_badgeId"}')).toBe(1);
  });
});

describe('a framed value that is not a certificate', needs('java', 'maven'), () => {
  it('is dead-lettered unchanged if it violates its schema or the contract', async () => {
    const avro = await running().producers.avro({ type: 'record', name: 'Empty', fields: [] });
    const { schemaId: jsonId } = await running().producers.json(JSON.parse(jsonSchema));
    const values = [
      framed(avro.schemaId, Buffer.from('secret')),
      framed(jsonId, Buffer.from('{"_id":"secret"')),
      Buffer.from([0, 1]),
      framed(-1, Buffer.of()),
      framed(avro.schemaId, Buffer.of()),
    ];
    expect(await running().complete(...values)).toEqual(Array(5).fill('dead_lettered'));
    const letters = await running().platform.deadLetters();
    expect(
      letters.map(({ value, headers }) => [value, headers['dead-letter-reason'], headers['failure-message']]),
    ).toEqual([
      [values[0], 'undecodable', 'the value contradicts its Avro schema: there is more than the schema says'],
      [values[1], 'undecodable', 'the value is not JSON'],
      [values[2], 'undecodable', 'the value is too short to hold a schema id'],
      [values[3], 'undecodable', 'the value has a schema id that no registry gives'],
      [values[4], 'invalid_record', expect.stringContaining('_id must be a non-empty string')],
    ]);
    expect(confidentialLines(running().service.log, 'secret')).toEqual([]);
  });
});
