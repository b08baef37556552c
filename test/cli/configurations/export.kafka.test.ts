import { describe, expect, it } from 'vitest';
import { aConfiguration, json } from '../../support/builders.ts';
import { produce } from '../../support/kafka/records.ts';
import { secretJwk } from '../../support/keys.ts';
import { printing } from './terminal.ts';
import { frame, framedJson, kafka, newTopic, put, recordsOf, run } from './topic.ts';

const a = aConfiguration({ _id: 'a' });
const b = aConfiguration({ _id: 'b', note: 'one\ntwo\u2028three' });

const command = { verb: 'export' } as const;
const putInput = { verb: 'put', files: ['-'], seal: false, refused: false } as const;

describe('configurations export', () => {
  it('prints what put writes elsewhere as it stands, sealed or not, and no removed one', async () => {
    const [topic, elsewhere] = [await newTopic(2), await newTopic()];
    const keys = [secretJwk('old')];
    await put(topic, [a], { keys, seal: true });
    await put(topic, [b]);
    await produce(kafka, topic, [
      { key: 'c', value: json(a) },
      { key: 'c', value: null },
    ]);
    const { code, out, err } = await run(topic, command);
    expect([code, err]).toEqual([0, ['configurations: 2, left out: 0']]);
    const input = `${out.join('\n')}\n`;
    expect(await run(elsewhere, putInput, { input, keys })).toEqual(printing('new a', 'new b'));
    expect((await run(elsewhere, command)).out).toEqual(out);
    expect((await run(topic, putInput, { input, keys })).out).toEqual(['unchanged a', 'unchanged b']);
    expect(new Set((await recordsOf(elsewhere)).map(([, , value]) => JSON.stringify(value)))).toEqual(new Set(out));
  });

  it('prints refused ones too, and each on one line with the digits that it has', async () => {
    const topic = await newTopic();
    const value = '\n{\n  "_id": "a",\r\n\t"rank": 12345678901234567890,\n  "note": "  \\n  "\n}\n';
    await produce(kafka, topic, [{ key: 'a', value }]);
    const line = '{"_id": "a","rank": 12345678901234567890,"note": "  \\n  "}';
    expect((await run(topic, command)).out).toEqual([line]);
  });

  it('names those that it can not print after all others', async () => {
    const topic = await newTopic();
    await produce(kafka, topic, [
      { key: 'A\nx', value: 'hush' },
      { key: 'B', value: '["hush"]' },
      { key: 'C', value: frame('hush') },
      { key: 'D', value: json({ ...a, token: 'hush' }) },
      { key: 'a', value: json(a) },
    ]);
    expect(await run(topic, command)).toEqual({
      code: 2,
      out: [JSON.stringify(a)],
      err: [
        "error: A\nx can't be read: is not JSON",
        "error: B can't be read: is no JSON object",
        expect.stringMatching(/^error: C can't be read: .*SCHEMA_REGISTRY_URL/),
        "error: D can't be put elsewhere: its _id is not its key",
        'configurations: 5, left out: 4',
      ],
    });
  });

  it('decodes framed ones', async () => {
    const topic = await newTopic();
    await produce(kafka, topic, [{ key: 'a', value: frame(JSON.stringify(a, null, 2)) }]);
    const { out } = await run(topic, command, { framed: framedJson });
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([a]);
  });

  it('prints nothing more once it is stopped', async () => {
    const topic = await newTopic();
    await put(topic, [a, b]);
    const stop = new AbortController();
    const { code, out } = await run(topic, command, { signal: stop.signal, printed: () => stop.abort() });
    expect([code, out]).toEqual([1, [JSON.stringify(a)]]);
  });
});
