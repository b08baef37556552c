import { describe, expect, it } from 'vitest';
import { withoutRegistry } from '../../../src/certificates/framing.ts';
import { History } from '../../../src/cli/configurations/history.ts';
import { writerOf } from '../../../src/cli/configurations/run-configurations.ts';
import { readStored } from '../../../src/cli/configurations/stored.ts';
import { acceptanceKey } from '../../../src/kafka/reader/newest-versions.ts';
import type { Environment } from '../../../src/settings.ts';
import { aConfiguration, aRecord, json, type Document } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startMemoryKafka } from '../../support/kafka/memory/start-memory-kafka.ts';
import { defaultSettings } from '../../support/service/default-settings.ts';
import { startPlatform, type Platform } from '../../support/service/platform.ts';
import { runHere } from '../program.ts';

const a = aConfiguration({ _id: 'a', _ownerId: 'one' });

async function aPlatform(parts: AsyncDisposableStack): Promise<Platform> {
  const { brokers } = parts.use(await startMemoryKafka());
  return parts.use(await startPlatform({ brokers }));
}

const configurations = (platform: Platform, ...args: readonly string[]) =>
  runHere(platform.environment, 'configurations', ...args);

async function put(platform: Platform, document: Document, ...args: readonly string[]): Promise<void> {
  await using files = await writeTemporaryFiles({ 'a.json': json(document) });
  expect(await configurations(platform, 'put', ...args, files.path('a.json'))).toMatchObject({ code: 0 });
}

describe('configurations list --history', () => {
  it('prints who changed which fields, and no value', async () => {
    await using parts = new AsyncDisposableStack();
    const platform = await aPlatform(parts);
    await put(platform, a, '--as', 'ann');
    await configurations(platform, 'pause', 'a', '--as', 'ben');
    await configurations(platform, 'resume', 'a', '--as', 'ben');
    const url = 'https://other.example.com/secret-path';
    await put(platform, { ...a, _ownerId: 'two', url, paused: false }, '--as', 'ann');
    await configurations(platform, 'remove', 'a', '--as', 'cid');
    await put(platform, aConfiguration({ _id: 'b', _ownerId: 'two' }));
    await configurations(platform, 'accept', '--as', 'dan');

    const { out, err } = await configurations(platform, 'list', '--history', '--json');
    const version = (offset: number, change: string, by: string | null, fields: readonly string[] = []) =>
      expect.objectContaining({ partition: 0, offset, change, fields, 'changed-by': by });
    expect(out.map((line): unknown => JSON.parse(line))).toEqual([
      version(0, 'new', 'ann'),
      version(1, 'paused', 'ben', ['paused']),
      version(2, 'resumed', 'ben', ['paused']),
      version(3, 'changed', 'ann', ['_ownerId', 'url']),
      version(4, 'removed', 'cid'),
      version(5, 'new', null),
      version(6, 'accepted', 'dan'),
    ]);
    expect(err).toEqual(['versions: 7']);

    const table = (await configurations(platform, 'list', '--history')).out.map((line) => line.split(/ {2,}/).slice(1));
    expect(table.slice(0, 2)).toEqual([
      ['ID', 'OWNER', 'CHANGED BY', 'PLACE', 'WHAT'],
      ['a', 'one', 'ann', '0/0', 'new'],
    ]);
    expect(table.slice(4)).toEqual([
      ['a', 'two', 'ann', '0/3', 'changed: _ownerId,url'],
      ['a', 'two', 'cid', '0/4', 'removed'],
      ['b', 'two', 'unknown', '0/5', 'new'],
      [acceptanceKey, '-', 'dan', '0/6', 'accepted'],
    ]);
    expect(out.join('\n')).not.toMatch(/secret-path|Zt7mQ1x9|production/);

    const offsets = async (...args: readonly string[]): Promise<readonly unknown[]> =>
      (await configurations(platform, 'list', '--history', '--json', ...args)).out.map(
        (line) => (JSON.parse(line) as Document)['offset'],
      );
    expect(await offsets('--owner', 'one')).toEqual([0, 1, 2, 3]);
    expect(await offsets('--owner', 'two')).toEqual([3, 4, 5]);
    expect(await offsets('b', acceptanceKey)).toEqual([5, 6]);
  });

  it('claims nothing of a version if the one before it is not there, not remembered, or can not be read', async () => {
    const { signal } = new AbortController();
    // Four versions are remembered.
    const limit = 4.5 * (800 + json(a).length);
    const history = new History([], (value) => readStored(value, withoutRegistry, signal), limit);
    const changes: unknown[] = [];
    const take = async (offset: number, id: string, value: Buffer): Promise<void> => {
      changes.push((await history.take(aRecord({ offset, key: Buffer.from(id), value })))?.change);
    };
    for (const [offset, value] of [json(a), Buffer.from('{'), json(a), Buffer.from(` ${json(a).toString()}`)].entries())
      await take(offset, 'b', value);
    for (const [index, id] of ['c', 'd', 'e', 'f', 'b'].entries()) await take(4 + index, id, json(a));
    expect(changes.slice(0, 4)).toEqual(['new', 'unreadable', 'written', 'unchanged']);
    expect(changes.slice(4)).toEqual(['new', 'written', 'written', 'written', 'written']);
    const compacted = new History([], (value) => readStored(value, withoutRegistry, signal));
    expect(await compacted.take(aRecord({ offset: 1, value: json(a) }))).toMatchObject({ change: 'written' });
  });
});

describe('the writer of a configuration', () => {
  const password = { KAFKA_SASL_USERNAME: 'ops', KAFKA_SASL_PASSWORD: 'p' };
  it.each<readonly [string, string | undefined, Environment, string | undefined]>([
    ['the name that is given', 'ann', { KAFKA_SASL_MECHANISM: 'scram-sha-512', ...password }, 'ann'],
    ['the login by password', undefined, { KAFKA_SASL_MECHANISM: 'scram-sha-512', ...password }, 'ops'],
    [
      'the login by client credentials',
      undefined,
      {
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        KAFKA_OAUTH_TOKEN_URL: 'https://identity.example.com/token',
        KAFKA_OAUTH_CLIENT_ID: 'client',
        KAFKA_OAUTH_CLIENT_SECRET: 's',
      },
      'client',
    ],
    ['nobody without a login', undefined, {}, undefined],
  ])('is %s', (_, given, environment, name) => {
    const command = { verb: 'accept', ...(given === undefined ? {} : { as: given }) } as const;
    expect(writerOf(command, defaultSettings(environment))).toBe(name);
  });
});
