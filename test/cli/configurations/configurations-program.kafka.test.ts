import { describe, expect, inject, it } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { aConfiguration, json } from '../../support/builders.ts';
import { quietClient } from '../../support/kafka/client.ts';
import { createTopics, uniqueName } from '../../support/kafka/topics.ts';
import { secretJwk } from '../../support/keys.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { run, runHere } from '../program.ts';

const brokers = inject('kafka');
const a = aConfiguration({ _id: 'a' });
const old = secretJwk('old');

describe('the configurations command', () => {
  it('runs every verb with the settings of the environment', async () => {
    const topic = uniqueName('configurations');
    await createTopics(quietClient(brokers), [{ topic, settings: { 'cleanup.policy': 'compact' } }]);
    const text = JSON.stringify({ keys: [old] });
    await using files = await writeTemporaryFiles({ 'a.yaml': json(a), 'keys.json': text });
    const environment = {
      KAFKA_BROKERS: brokers.join(','),
      WEBHOOK_CONFIGURATIONS: `kafka:${topic}`,
      WEBHOOK_KEYS_FILE: files.path('keys.json'),
      WEBHOOK_REQUIRE_SEALED: 'true',
    };
    const printed: string[] = [];
    const runs = async (verb: string, ...args: readonly string[]): Promise<readonly unknown[]> => {
      const runIt = verb === 'list' ? run : runHere;
      const { code, out, err } = await runIt(environment, 'configurations', verb, ...args);
      printed.push(...out, ...err);
      return [code, out];
    };
    const file = files.path('a.yaml');
    expect(await runs('put', file)).toEqual([2, []]);
    expect(await runs('seal', '--write', file)).toEqual([0, []]);
    expect(await runs('put', file)).toEqual([0, ['new a']]);
    expect(await runs('list')).toMatchObject([0, { length: 2 }]);
    expect(await runs('remove', 'a')).toEqual([0, ['removed a']]);
    expect(await runs('remove', 'a')).toEqual([2, []]);
    expect(printed.join('\n')).not.toMatch(/Zt7mQ1x9|production/);
    expect(printed.join('\n')).not.toContain(old.k);
  });

  it.each<readonly [string, Environment, string, number, RegExp]>([
    ['checks files without KAFKA_BROKERS', {}, 'check', 0, /^$/],
    ['requires KAFKA_BROKERS for the other verbs', {}, 'put', 2, /^error: KAFKA_BROKERS is not set/],
    [
      'refuses a file as the source, because put needs a topic',
      { KAFKA_BROKERS: 'a:1', WEBHOOK_CONFIGURATIONS: 'file:/x' },
      'put',
      2,
      /^error: WEBHOOK_CONFIGURATIONS is file:\/x: expected kafka:TOPIC/,
    ],
    [
      'prints the problem of the keys file',
      { WEBHOOK_KEYS_FILE: '/nowhere' },
      'seal',
      2,
      /^error: WEBHOOK_KEYS_FILE is "\/nowhere": expected a file that can be read/,
    ],
  ])('%s', async (_, environment, verb, code, expected) => {
    await using files = await writeTemporaryFiles({ 'a.json': json(a) });
    const { err, ...ended } = await runHere(environment, 'configurations', verb, files.path('a.json'));
    expect(ended).toMatchObject({ code });
    expect(err.join('\n')).toMatch(expected);
  });
});
