import { describe, expect, it } from 'vitest';
import { json } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { confidentialLines } from '../../support/service/confidential-lines.ts';
import { startOnce } from '../../support/service/start-once.ts';
import { aSubscriber } from '../../support/service/subscriber.ts';

const mebibyte = 1024 * 1024;
/** Tiers and dead letters accept the size of a record plus its headers, as documented for operators. */
const roomy = {
  certificates: { 'max.message.bytes': 8 * mebibyte },
  tiers: { 'max.message.bytes': 8 * mebibyte + 65_536 },
  deadLetters: { 'max.message.bytes': 8 * mebibyte + 65_536 },
};

const text = (value: string): Buffer => Buffer.from(value, 'utf8');
const noIds = '_id must be a non-empty string, _userId must be a non-empty string, _ownerId must be a non-empty string';

/** The values of rejected records, with the reason and message of their dead letters. */
const rejected: readonly (readonly [what: string, value: Buffer, reason: string, message: string])[] = [
  ['no JSON', text('certificate'), 'undecodable', 'the value is not JSON'],
  ['nothing', Buffer.alloc(0), 'undecodable', 'the value is not JSON'],
  ['half a document', text('{"_id": "507f1f77'), 'undecodable', 'the value is not JSON'],
  ['two documents', text('{}{}'), 'undecodable', 'the value is not JSON'],
  ['no UTF-8', Buffer.from('7b225f6964223a22ff227d', 'hex'), 'undecodable', 'the value is not UTF-8'],
  ['UTF-16', Buffer.from('{"_id":"1"}', 'utf16le'), 'undecodable', 'the value is not JSON'],
  ['a byte order mark', text('\uFEFF{"_id":"1"}'), 'undecodable', 'the value begins with a byte order mark'],
  ['two broken megabytes', text(`{"_id":"${'x'.repeat(2 * mebibyte)}`), 'undecodable', 'the value is not JSON'],
  [
    'a schema id',
    Buffer.from('0000000001', 'hex'),
    'undecodable',
    'the value is framed for a schema registry, and none is set (SCHEMA_REGISTRY_URL)',
  ],
  ['a list', text('[]'), 'invalid_record', 'the record must be an object'],
  ['a word', text('"certificate"'), 'invalid_record', 'the record must be an object'],
  ['null', text('null'), 'invalid_record', 'the record must be an object'],
  [
    'a list in a list, and so on',
    text('['.repeat(mebibyte) + ']'.repeat(mebibyte)),
    'too_large',
    'the value has more than 100000 JSON values',
  ],
  ['no id', text('{}'), 'invalid_record', noIds],
  ['ids for its prototype', text('{"__proto__":{"_id":"1","_userId":"2","_ownerId":"3"}}'), 'invalid_record', noIds],
  [
    'a number for an id',
    text('{"_id":1,"_userId":"2","_ownerId":"3"}'),
    'invalid_record',
    '_id must be a non-empty string',
  ],
  [
    'an empty id',
    text('{"_id":"1","_userId":"","_ownerId":"3"}'),
    'invalid_record',
    '_userId must be a non-empty string',
  ],
  [
    'half a surrogate pair in an id',
    text(String.raw`{"_id":"1","_userId":"2","_ownerId":"o\ud800"}`),
    'invalid_record',
    '_ownerId must be well-formed Unicode, without half a surrogate pair',
  ],
  [
    'dates that are none',
    text('{"_id":"1","_userId":"2","_ownerId":"3","creationDate":"today","expires":0}'),
    'invalid_record',
    'creationDate must be an ISO 8601 date-time, expires must be an ISO 8601 date-time or null',
  ],
];

describe('a record that is not a certificate', { tags: ['I3', 'I10'] }, () => {
  const running = startOnce({ delays: ['1h'], settings: roomy });

  it('is dead-lettered unchanged with the reason, and blocks no other record', async () => {
    const { platform, service } = running;
    const { completed } = platform.topics;
    const subscriber = aSubscriber(platform);
    await platform.configure(subscriber.configuration());
    const places = await produce(platform.kafka, completed, [
      ...rejected.map(([what, value]) => ({ key: what, value, headers: { 'x-own': 'kept', attempt: 'nine' } })),
      { key: 'a null value', value: null },
      { key: 'a certificate', value: json(subscriber.certificate()) },
    ]);

    const results = await service.settled(completed, places);
    expect(results).toEqual([...rejected.map(() => 'dead_lettered'), 'ignored', 'delivered']);
    const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const letters = await platform.deadLetters();
    expect(letters.map(({ key, headers }) => [String(key), headers])).toEqual(
      rejected.map(([what, , reason, message], index) => [
        what,
        {
          'x-own': 'kept',
          attempt: 'nine',
          'source-topic': completed,
          'source-partition': '0',
          'source-offset': String(index),
          'source-timestamp': anInstant,
          'failed-at': anInstant,
          'failure-reason': reason,
          'failure-message': message,
          'dead-letter-reason': reason,
        },
      ]),
    );
    const changed = rejected.filter(([, value], index) => letters[index]?.value?.equals(value) !== true);
    expect(changed.map(([what]) => what)).toEqual([]);
  });

  it('is counted by its result', async () => {
    const { platform, service } = running;
    const settled = async (result: string): Promise<number | undefined> =>
      service.metric(`records_settled_total{topic="${platform.topics.completed}",result="${result}"}`);
    expect(await settled('dead_lettered')).toBe(rejected.length);
    expect(await settled('ignored')).toBe(1);
    expect(await settled('delivered')).toBe(1);
    for (const expected of ['undecodable', 'invalid_record', 'too_large']) {
      const count = rejected.filter(([, , reason]) => reason === expected).length;
      expect(await service.metric(`dead_letters_total{reason="${expected}"}`)).toBe(count);
    }
    expect(service.log.filter(({ event }) => event === 'record.rejected')).toHaveLength(rejected.length);
    expect(confidentialLines(service.log, 'today', 'xxxx', 'nine')).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });
});

describe('an invalid configuration', { tags: ['I10'] }, () => {
  const running = startOnce({ delays: ['1h'] });

  it('is refused by name, still claims the certificates of its owner, and blocks no other configuration', async () => {
    const { platform, service } = running;
    const subscriber = aSubscriber(platform);
    const lost = aSubscriber(platform);
    await produce(platform.kafka, platform.topics.configurations, [
      { key: 'no JSON', value: 'https://example.com' },
      { key: 'no object', value: '[]' },
      { key: 'empty', value: Buffer.alloc(0) },
      { key: 'not UTF-8', value: Buffer.of(0xff) },
      { key: 'framed', value: Buffer.from('0000000001', 'hex') },
      { key: 'not its id', value: json(lost.configuration()) },
      { key: Buffer.of(0xff, 0xfe), value: json(lost.configuration()) },
      { key: '', value: json(lost.configuration({ _id: '' })) },
      { key: 'sealed', value: json(lost.configuration({ _id: 'sealed', auth: 'ab.cd.ef.gh.ij' })) },
      { key: '__proto__', value: json(lost.configuration({ _id: '__proto__', url: 'ftp://example.com' })) },
      { key: subscriber.webhookId, value: json(subscriber.configuration()) },
    ]);
    await platform.complete(subscriber.certificate());
    await service.logged('delivery.attempted', 1, { ownerId: subscriber.ownerId, outcome: 'delivered' });
    const refused = service.log.filter(({ event }) => event === 'configuration.refused');
    const withoutOwner = ['no JSON', 'no object', 'empty', 'not UTF-8', 'framed'];
    const ofLost = ['not its id', '\uFFFD\uFFFD', '', 'sealed', '__proto__'];
    expect(refused.map(({ configurationId }) => configurationId)).toEqual([...withoutOwner, ...ofLost]);
    expect(await service.metric('webhook_configurations{state="invalid"}')).toBe(10);
    expect(await service.metric('webhook_configurations{state="active"}')).toBe(1);
    expect(await service.metric('webhook_configurations_lag_records')).toBe(0);

    await platform.complete(lost.certificate());
    // An empty key is no id, so no delivery is planned for it.
    const claiming = ofLost.filter((key) => key !== '');
    const waiting = await service.logged('delivery.deferred', claiming.length, { ownerId: lost.ownerId });
    expect(new Set(waiting.map(({ configurationId }) => configurationId))).toEqual(new Set(claiming));
    expect(new Set(waiting.map(({ outcome }) => outcome))).toEqual(new Set(['configuration_invalid']));
    expect(confidentialLines(service.log, 'ab.cd.ef')).toEqual([]);
    expect(await service.unaccounted()).toBe(0);
  });
});
