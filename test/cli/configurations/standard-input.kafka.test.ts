import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { aConfiguration, json } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { newTopic, recordsOf, run } from './topic.ts';

const a = aConfiguration({ _id: 'a' });
const b = aConfiguration({ _id: 'b' });

describe('configurations put -', () => {
  it.each([
    ['JSON', JSON.stringify([a, b], null, 2)],
    ['one JSON object a line', `${JSON.stringify(a)}\n${JSON.stringify(b)}\n`],
    ['YAML', stringify([a, b])],
  ])('reads standard input beside files: %s', async (_, input) => {
    const topic = await newTopic();
    const c = aConfiguration({ _id: 'c' });
    await using folder = await writeTemporaryFiles({ 'c.json': json(c) });
    const command = { verb: 'put', files: [folder.path('c.json'), '-'], seal: false, refused: false } as const;
    const { out, err } = await run(topic, command, { input });
    expect([out, err]).toEqual([['new c', 'new a', 'new b'], []]);
    expect((await recordsOf(topic)).map(([, , value]) => value)).toEqual([c, a, b]);
  });

  it('writes nothing if standard input has a problem', async () => {
    const command = { verb: 'put', files: ['-'], seal: false, refused: false } as const;
    const topic = await newTopic();
    expect((await run(topic, command)).err).toEqual(['error: -: is empty; to have no configurations, write []']);
    expect(await run(topic, command, { input: json([a, { ...b, events: [] }]).toString() })).toMatchObject({
      code: 2,
      err: [expect.stringMatching(/^error: -: entry 2 \(b\): events: /)],
    });
  });
});
