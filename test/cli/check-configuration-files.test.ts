import { describe, expect, it } from 'vitest';
import { checkConfigurationFiles, checkEnvironment } from '../../src/cli/check-config.ts';
import type { Environment } from '../../src/settings.ts';
import { aConfiguration } from '../support/builders.ts';
import { keySet, keySetText, publicHalf, rsaJwk, secretJwk } from '../support/keys.ts';
import { settingsFrom } from '../support/service/default-settings.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { sealWith } from '../webhooks/opening.ts';

const { signal } = new AbortController();
const brokers = { KAFKA_BROKERS: 'localhost:9092' };

async function check(environment: Environment): Promise<readonly [number, readonly string[], readonly string[]]> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), signal };
  const code = await checkEnvironment([], terminal, { ...brokers, ...environment });
  return [code, out.filter((line) => line.endsWith(': ok')), err];
}

const valid = JSON.stringify(aConfiguration({ _id: 'valid' }));

describe('check-config with configurations in files', () => {
  it('lists what would stop the service, and what it would refuse', async () => {
    await using folder = await writeTemporaryFiles({
      'a.json': valid,
      'b.yaml': JSON.stringify([aConfiguration({ _id: 'port', url: 'https://a.example:8443/' }), { _id: 'valid' }]),
      'c.json': '{',
    });
    const environment = { WEBHOOK_CONFIGURATIONS: `file:${folder.root}`, DELIVERY_ALLOWED_PORTS: '443' };
    const [code, out, err] = await check(environment);
    expect([code, out]).toEqual([2, [`${folder.path('a.json')}: ok`]]);
    expect(err).toEqual([
      `error: ${folder.path('b.yaml')}: entry 2 has the _id of entry 1 in ${folder.path('a.json')}: valid`,
      `error: ${folder.path('b.yaml')}: entry 1 (port): url: must point at an allowed port`,
      expect.stringMatching(/b\.yaml: entry 2 \(valid\): _ownerId: /),
      expect.stringMatching(/b\.yaml: entry 2 \(valid\): url: /),
      `error: ${folder.path('c.json')}: is not JSON: line 1`,
    ]);
    await using empty = await writeTemporaryFiles({});
    const missing = await check({ WEBHOOK_CONFIGURATIONS: `file:${empty.path('none')}` });
    expect(missing).toEqual([2, [], [`error: ${empty.path('none')}: can't be read (ENOENT)`]]);
  });

  it('lists their problems beside those of the settings', async () => {
    await using folder = await writeTemporaryFiles({ 'a.json': '{', 'keys.jwks': '{"keys":[{"kty":"oct"}]}' });
    const source = { WEBHOOK_CONFIGURATIONS: `file:${folder.root}` };
    const [code, , err] = await check({ ...source, WEBHOOK_KEYS_FILE: folder.path('keys.jwks') });
    expect([code, err]).toEqual([
      2,
      [expect.stringMatching(/^error: WEBHOOK_KEYS_FILE is /), `error: ${folder.path('a.json')}: is not JSON: line 1`],
    ]);
  });

  it('lists the problems of a keys file that becomes unusable after the settings were read', async () => {
    await using folder = await writeTemporaryFiles({
      'keys.jwks': keySetText(secretJwk('a')),
      'a.json': JSON.stringify({ ...aConfiguration({ _id: 'a' }), auth: 'sealed', url: 7 }),
    });
    const settings = await settingsFrom({ WEBHOOK_KEYS_FILE: folder.path('keys.jwks') });
    await folder.write('keys.jwks', '{"keys":[{"kty":"oct","k":"hush"},{"kty":"none"}]}');
    const checked = await checkConfigurationFiles([folder.path('a.json')], settings, signal);
    expect(checked).toEqual([
      { path: folder.path('keys.jwks'), problems: [expect.stringMatching(/key 1 /), expect.stringMatching(/key 2 /)] },
      { path: folder.path('a.json'), problems: ['entry 1 (a): url: must be a string'] },
    ]);
    expect(JSON.stringify(checked)).not.toContain('hush');
  });

  it('refuses what the keys can seal but not open, as the service does', async () => {
    const pair = rsaJwk('pair');
    const sealed = JSON.stringify(await sealWith(keySet(publicHalf(pair)), aConfiguration()));
    await using folder = await writeTemporaryFiles({
      'a.json': sealed,
      'public.jwks': keySetText(publicHalf(pair)),
      'pair.jwks': keySetText(pair),
    });
    const checkWith = (name: string) =>
      check({ WEBHOOK_CONFIGURATIONS: `file:${folder.root}`, WEBHOOK_KEYS_FILE: folder.path(name) });
    expect(await checkWith('pair.jwks')).toEqual([0, [`${folder.path('a.json')}: ok`], []]);
    const [code, , err] = await checkWith('public.jwks');
    expect([code, err.length]).toEqual([2, 2]);
    expect(err[0]).toContain('which WEBHOOK_KEYS_FILE only seals with');
  });
});
