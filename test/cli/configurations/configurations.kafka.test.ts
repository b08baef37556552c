import { describe, expect, it } from 'vitest';
import type { TopicCommand } from '../../../src/cli/configurations/run-configurations.ts';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import { partitionOf } from '../../../src/kafka/producer/key-partition.ts';
import { openDocument } from '../../../src/webhooks/sealing/open-document.ts';
import { aConfiguration, authentications, json, type Document } from '../../support/builders.ts';
import { produce, readTopic } from '../../support/kafka/records.ts';
import { uniqueName } from '../../support/kafka/topics.ts';
import { keySet, secretJwk } from '../../support/keys.ts';
import { printing, refusing } from './terminal.ts';
import { kafka, list, listed, newTopic, put, recordsOf, remove, run } from './topic.ts';

const [old, fresh] = [secretJwk('old'), secretJwk('new')];

const putInput = { verb: 'put', files: ['-'], seal: false, refused: false } as const;

const a = aConfiguration({ _id: 'a', _ownerId: 'owner of a' });
const b = aConfiguration({ _id: 'b', _ownerId: 'owner of b' });

describe('configurations put', () => {
  it('writes new and changed configurations, and not the unchanged ones', async () => {
    const topic = await newTopic();
    expect(await put(topic, [a, b])).toEqual(printing('new a', 'new b'));
    const changed = { ...b, paused: true };
    const again = Object.fromEntries(Object.entries(a).toReversed());
    expect((await put(topic, [again, changed])).out).toEqual(['unchanged a', 'changed b']);
    expect(await recordsOf(topic)).toEqual([
      [0, 'a', a],
      [0, 'b', b],
      [0, 'b', changed],
    ]);
  });

  it("writes a new one to the partition of Java's partitioner, and a changed one to the partition of the old version", async () => {
    const topic = await newTopic(8);
    const elsewhere = (partitionOf(Buffer.from('a'), 8) + 1) % 8;
    await produce(kafka, topic, [{ key: 'a', value: json(a), partition: elsewhere }]);
    await put(topic, [{ ...a, paused: true }, b]);
    expect((await recordsOf(topic)).map(([partition, key]) => [partition, key])).toEqual(
      [
        [elsewhere, 'a'],
        [elsewhere, 'a'],
        [partitionOf(Buffer.from('b'), 8), 'b'],
      ].toSorted(([one], [other]) => Number(one) - Number(other)),
    );
  });

  it('writes none if one has a problem, and prints every problem', async () => {
    const topic = await newTopic();
    const { code, out, err } = await put(topic, [a, { ...b, url: 'http://hooks.example.com', events: [] }]);
    expect([code, out]).toEqual([2, []]);
    expect(err).toHaveLength(2);
    expect(await recordsOf(topic)).toEqual([]);
  });

  it('writes none if one is larger than the service takes, or would be once it is sealed', async () => {
    const topic = await newTopic();
    const sized = (bytes: number): Document => ({
      ...b,
      note: 'x'.repeat(bytes - JSON.stringify({ ...b, note: '' }).length),
    });
    expect((await put(topic, [a, sized(64 * 1024 + 1)])).err).toEqual([
      expect.stringContaining('must not exceed 64 KiB'),
    ]);
    const sealed = await put(topic, [a, sized(64 * 1024)], { keys: [fresh], seal: true });
    expect(sealed).toEqual(refusing('error: b: must not exceed 64 KiB, and does so once it is sealed'));
    expect(await recordsOf(topic)).toEqual([]);
    expect((await put(topic, [sized(64 * 1024)])).code).toBe(0);
  });

  it('writes the digits that a number has, and sees when they differ', async () => {
    const numbers = '"rank":12345678901234567,"share":1.0,"most":1e400,"minus":-0';
    const document = JSON.stringify(a).replace(/}$/, `,${numbers}}`);
    const fields = Object.entries(a).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    const yaml = [...fields, ...numbers.split(',').map((field) => field.replace('":', '": '))].join('\n');
    const lines = `${document}\n${document.replace('"_id":"a"', '"_id":"c"')}`;
    for (const input of [document, lines, `[${document}]`, yaml]) {
      const topic = await newTopic();
      expect((await run(topic, putInput, { input })).out[0]).toBe('new a');
      const [written = ''] = (await readTopic(kafka, topic)).map(({ value }) => String(value));
      expect(written).toContain(numbers);
      expect((await run(topic, putInput, { input })).out[0]).toBe('unchanged a');
      expect((await run(topic, putInput, { input: input.replaceAll('567', '568') })).out[0]).toBe('changed a');
    }
  });

  it('takes what export prints of refused ones with --refused, and says so', async () => {
    const [topic, elsewhere] = [await newTopic(), await newTopic()];
    const refused = JSON.stringify({ ...a, url: 'http://hooks.example.com', rank: 1 });
    await produce(kafka, topic, [{ key: 'a', value: refused }]);
    const { out } = await run(topic, { verb: 'export' });
    const input = out.join('\n');
    const problem = '-: entry 1 (a): url: must be an absolute https: URL';
    expect(await run(elsewhere, putInput, { input })).toEqual(refusing(`error: ${problem}`));
    expect(await run(elsewhere, { ...putInput, refused: true }, { input })).toEqual({
      code: 0,
      out: ['new a'],
      err: [`warning: ${problem}`],
    });
    expect((await run(elsewhere, { verb: 'export' })).out).toEqual([refused]);
    for (const broken of ['{', '{"url":"http://a"}', `${input}\n${input}`])
      expect(await run(elsewhere, { ...putInput, refused: true }, { input: broken })).toMatchObject({
        code: 2,
        out: [],
      });
  });

  it('seals what it writes with --seal', async () => {
    const topic = await newTopic();
    const options = { keys: [fresh, old], requireSealed: true };
    expect(await put(topic, [a], options)).toMatchObject({ code: 2 });
    expect(await put(topic, [a], { ...options, seal: true })).toEqual(printing('new a'));
    const [[, , written] = []] = await recordsOf(topic);
    expect(JSON.stringify(written)).not.toMatch(/Zt7mQ1x9|production/);
    expect(await openDocument(written, { keys: keySet(fresh), requireSealed: true })).toEqual({
      document: a,
      closed: {},
    });
    expect(await put(topic, [a], { seal: true })).toEqual(
      refusing('error: WEBHOOK_KEYS_FILE is not set: expected the keys to seal with'),
    );
  });
});

describe('configurations remove', () => {
  it('removes all of them, or none if one is missing', async () => {
    const topic = await newTopic();
    await put(topic, [a, b]);
    expect(await run(topic, remove('a', 'c'))).toEqual(refusing(`error: there is no configuration c in ${topic}`));
    expect(await listed(topic)).toHaveLength(2);
    expect(await run(topic, remove('a', 'b'))).toEqual(printing('removed a', 'removed b'));
    expect((await recordsOf(topic)).slice(2)).toEqual([
      [0, 'a', null],
      [0, 'b', null],
    ]);
    expect(await run(topic, list)).toEqual({ code: 0, out: [], err: ['configurations: 0, refused: 0'] });
  });
});

describe('configurations list', () => {
  it('prints each with the state that the service gives it, without credentials', async () => {
    const topic = await newTopic(2);
    await put(topic, [{ ...b, enabled: false, auth: authentications.none, customHeaders: {} }]);
    await put(topic, [a], { keys: [old], seal: true });
    await produce(kafka, topic, [
      { key: 'c', value: json({ ...a, _id: 'c', url: 'https://user:hush@c.example/private/path?hush' }) },
      { key: 'd', value: 'hush' },
      { key: 'e\nx', value: Buffer.from('0000000001', 'hex') },
    ]);
    const events = ['certificate_completed', 'certificate_expired'];
    const host = 'hooks.example.com';
    const known = { host, events, problems: [], sealed: {} };
    const sealed = { auth: 'old', customHeaders: 'old' };
    const unknown = { ownerId: null, host: null, events, auth: null, sealed: {}, state: 'invalid' };
    const notJson = ['must be JSON, in UTF-8 without a byte order mark'];
    expect(await listed(topic, { keys: [fresh, old] })).toEqual([
      { ...known, configurationId: 'a', ownerId: 'owner of a', auth: 'bearer_token', sealed, state: 'active' },
      { ...known, configurationId: 'b', ownerId: 'owner of b', auth: 'none', state: 'disabled' },
      {
        ...unknown,
        configurationId: 'c',
        ownerId: 'owner of a',
        host: 'c.example',
        problems: ['url: must not carry user info'],
      },
      { ...unknown, configurationId: 'd', problems: notJson },
      { ...unknown, configurationId: 'e\nx', problems: [expect.stringContaining('SCHEMA_REGISTRY_URL')] },
    ]);
    const { code, out, err } = await run(topic, { ...list, json: false });
    expect([code, err]).toEqual([0, ['configurations: 5, refused: 4']]);
    expect(out.map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
      ['ID', 'OWNER', 'HOST', 'EVENTS', 'AUTH', 'SEALED'],
      ['a', 'owner of a', 'hooks.example.com', 'completed,expired', '-', 'auth:old,customHeaders:old'],
      ['b', 'owner of b', 'hooks.example.com', 'completed,expired', 'none', '-'],
      ['c', 'owner of a', 'c.example', 'completed,expired', '-', '-'],
      ['d', '-', '-', 'completed,expired', '-', '-'],
      ['e x', '-', '-', 'completed,expired', '-', '-'],
    ]);
    expect(out[1]).toMatch(/ invalid +auth: is sealed, and there is no WEBHOOK_KEYS_FILE; customHeaders: /);
    expect(out.join('\n')).not.toMatch(/hush|private|Zt7mQ1x9|production/);
  });

  it('prints those of one owner', async () => {
    const topic = await newTopic();
    await put(topic, [a, b]);
    const { out, err } = await run(topic, { ...list, owner: 'owner of b' });
    expect(out.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ configurationId: 'b' }]);
    expect(err).toEqual(['configurations: 1, refused: 0']);
  });
});

describe('a configuration that stands in two partitions', () => {
  const before = { ...a, url: 'https://old.example.com/' };

  /** Returns a topic that got a second partition, to which the key moved. */
  async function grownTopic(): Promise<string> {
    const topic = await newTopic(2);
    await produce(kafka, topic, [
      { key: 'a', value: json(before), partition: 0, timestamp: 1_000 },
      { key: 'removed', value: json(before), partition: 0, timestamp: 1_000 },
      { key: 'a', value: json(a), partition: 1, timestamp: 2_000 },
      { key: 'removed', value: null, partition: 1, timestamp: 2_000 },
    ]);
    return topic;
  }

  it('is listed as its newest record says, a tombstone included', async () => {
    expect(await listed(await grownTopic())).toMatchObject([{ configurationId: 'a', host: 'hooks.example.com' }]);
  });

  it('is removed from both partitions, so that it stays removed when a tombstone is compacted away', async () => {
    const topic = await grownTopic();
    expect(await run(topic, remove('a'))).toEqual(printing('removed a'));
    expect((await recordsOf(topic)).filter(([, id, value]) => id === 'a' && value === null)).toEqual([
      [0, 'a', null],
      [1, 'a', null],
    ]);
    expect(await listed(topic)).toEqual([]);
  });
});

describe('configurations accept', () => {
  it('writes a record to each partition, which no list shows', async () => {
    const topic = await newTopic(2);
    await put(topic, [a]);
    const { code, out } = await run(topic, { verb: 'accept' });
    expect({ code, out }).toEqual({ code: 0, out: [`accepted ${topic} as it stands, configurations: 1`] });
    expect((await recordsOf(topic)).filter(([, , value]) => value === null)).toEqual([
      [0, acceptanceKey, null],
      [1, acceptanceKey, null],
    ]);
    expect(await listed(topic)).toMatchObject([{ configurationId: 'a' }]);
  });

  it('writes nothing over a configuration that has the key of its records, until that is removed', async () => {
    const topic = await newTopic();
    await produce(kafka, topic, [{ key: acceptanceKey, value: json({ ...a, _id: acceptanceKey }) }]);
    expect(await listed(topic)).toMatchObject([{ configurationId: acceptanceKey, state: 'invalid' }]);
    expect(await run(topic, { verb: 'accept' })).toMatchObject({ code: 2, out: [] });
    expect((await run(topic, remove(acceptanceKey))).out).toEqual([`removed ${acceptanceKey}`]);
    expect(await listed(topic)).toEqual([]);
    expect(await run(topic, { verb: 'accept' })).toMatchObject({ code: 0 });
  });
});

describe('configurations', () => {
  it.each<TopicCommand>([list, { verb: 'accept' }, remove('a')])(
    '$verb prints an error if the topic is missing',
    async (command) => {
      const topic = uniqueName('missing');
      expect(await run(topic, command)).toEqual({
        code: 1,
        out: [],
        err: [`error: there is no topic ${topic}: topics --create makes it`],
      });
    },
  );

  it('prints an error if Kafka cannot be reached', async () => {
    const { code, out, err } = await run('any', list, { at: ['127.0.0.1:1'] });
    expect([code, out]).toEqual([1, []]);
    expect(err).toEqual([expect.stringMatching(/^error: Kafka can't be reached or refuses: .*127\.0\.0\.1:1/)]);
  });
});
