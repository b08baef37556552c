import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/settings.ts';
import { aConfiguration, json } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { runHere } from '../program.ts';

describe('the configurations command', () => {
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
    await using files = await writeTemporaryFiles({ 'a.json': json(aConfiguration()) });
    const { err, ...ended } = await runHere(environment, 'configurations', verb, files.path('a.json'));
    expect(ended).toMatchObject({ code });
    expect(err.join('\n')).toMatch(expected);
  });
});
