import { describe, expect, it } from 'vitest';
import type { FramedValues } from '../../../src/certificates/framing.ts';
import { aConfiguration, json } from '../../support/builders.ts';
import { produce, readTopic } from '../../support/kafka/records.ts';
import { secretJwk } from '../../support/keys.ts';
import { printing } from './terminal.ts';
import { frame, framedJson, kafka, listed, newTopic, put, run } from './topic.ts';

const a = aConfiguration({ _id: 'a' });
const b = aConfiguration({ _id: 'b' });

const pause = (...ids: readonly string[]) => ({ verb: 'pause', ids }) as const;
const resume = (...ids: readonly string[]) => ({ verb: 'resume', ids }) as const;

async function textsOf(topic: string): Promise<readonly string[]> {
  return (await readTopic(kafka, topic)).map(({ value }) => String(value));
}

describe('configurations pause and resume', () => {
  it('change nothing else, not even sealed parts, unknown fields or the digits of a number', async () => {
    const topic = await newTopic();
    await put(topic, [a], { keys: [secretJwk('only the platform')], seal: true });
    const fields = '"_id": "b", "note": {"rank": 12345678901234567890, "share": 1.50}, "auth": 7';
    await produce(kafka, topic, [{ key: 'b', value: `{\n  ${fields},\n  "paused": false,\n  "last": "\\u00e9"\n}` }]);
    const [sealed = ''] = await textsOf(topic);
    expect(await run(topic, pause('a', 'b'))).toEqual(printing('paused a', 'paused b'));
    const compact = '"_id":"b","note":{"rank":12345678901234567890,"share":1.50},"auth":7';
    expect((await textsOf(topic)).slice(2)).toEqual([
      `${sealed.slice(0, -1)},"paused":true}`,
      `{${compact},"paused":true,"last":"é"}`,
    ]);
    expect(await run(topic, resume('b', 'a'))).toEqual(printing('resumed b', 'resumed a'));
    expect((await textsOf(topic)).slice(4)).toEqual([
      `{${compact},"paused":false,"last":"é"}`,
      `${sealed.slice(0, -1)},"paused":false}`,
    ]);
  });

  it('write nothing for those that are as wanted', async () => {
    const topic = await newTopic();
    await put(topic, [{ ...a, paused: true }, b]);
    expect((await run(topic, pause('a'))).out).toEqual(['unchanged a']);
    expect((await run(topic, resume('b'))).out).toEqual(['unchanged b']);
    expect(await textsOf(topic)).toHaveLength(2);
  });

  it('write nothing if one is missing, removed or unreadable, and name each of them', async () => {
    const topic = await newTopic();
    const deep = `{"_id":"deep","note":${'['.repeat(40)}${']'.repeat(40)}}`;
    const large = json({ ...a, _id: 'large', note: 'x'.repeat(65 * 1024) });
    const values = { a: json(a), removed: null, broken: '{"token": hush', list: '["hush"]', deep, large };
    const records = Object.entries({ ...values, framed: frame('hush') }).map(([key, value]) => ({ key, value }));
    await produce(kafka, topic, records);
    const ids = ['a', 'missing', 'removed', 'broken', 'list', 'deep', 'large', 'framed'];
    const { code, out, err } = await run(topic, pause(...ids));
    expect([code, out]).toEqual([2, []]);
    expect(err).toEqual([
      `error: there is no configuration missing in ${topic}`,
      `error: there is no configuration removed in ${topic}`,
      "error: broken can't be read: is not JSON",
      "error: list can't be read: is no JSON object",
      'error: deep must not be nested more than 32 deep',
      'error: large must not exceed 64 KiB',
      expect.stringMatching(/^error: framed can't be read: .*SCHEMA_REGISTRY_URL/),
    ]);
    expect(await textsOf(topic)).toHaveLength(records.length);
  });

  it('write a framed one as plain JSON', async () => {
    const topic = await newTopic();
    await produce(kafka, topic, [{ key: 'a', value: frame(json(a).toString()) }]);
    expect(await run(topic, pause('a'), { framed: framedJson })).toEqual(printing('paused a'));
    expect((await textsOf(topic)).at(-1)).toBe(JSON.stringify({ ...a, paused: true }));
  });

  it.each<readonly [string, string | null, readonly string[]]>([
    ['changed', JSON.stringify({ ...a, url: 'https://new.example.com/' }), ['paused a']],
    ['paused', JSON.stringify({ ...a, paused: true }), ['unchanged a']],
    ['removed', null, []],
  ])('write nothing over a version that was %s in the meantime, and say so', async (_, value, out) => {
    const topic = await newTopic();
    await produce(kafka, topic, [{ key: 'a', value: frame(json(a).toString()) }]);
    let write: (() => Promise<unknown>) | undefined = () => produce(kafka, topic, [{ key: 'a', value }]);
    const whenReadable: FramedValues['whenReadable'] = () => {
      const written = write?.().then(() => undefined);
      write = undefined;
      return written;
    };
    const paused = await run(topic, pause('a'), { framed: { ...framedJson, whenReadable } });
    expect(paused.out).toEqual(out);
    expect(paused.err[0]).toBe('note: a was changed at the same time: its new version counts');
    expect((await textsOf(topic)).at(-1)).toBe(
      value?.replace(/,"paused":true|}$/, ',"paused":true}').replace('}}', '}') ?? 'null',
    );
  });

  it('write to the partition of the newest version', async () => {
    const topic = await newTopic(2);
    await produce(kafka, topic, [
      { key: 'a', value: json({ ...a, paused: true }), partition: 0, timestamp: 1_000 },
      { key: 'a', value: json(a), partition: 1, timestamp: 2_000 },
    ]);
    expect((await run(topic, pause('a'))).out).toEqual(['paused a']);
    expect((await readTopic(kafka, topic)).map(({ partition }) => partition)).toEqual([0, 1, 1]);
    expect(await listed(topic)).toMatchObject([{ configurationId: 'a', state: 'paused' }]);
  });
});
