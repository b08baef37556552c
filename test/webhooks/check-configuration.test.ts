import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { checkDocuments, type CheckOptions } from '../../src/webhooks/check-configuration.ts';
import { createOpener, ignoreSealed, type OpenDocument } from '../../src/webhooks/sealing/open-document.ts';
import { aConfiguration, type Document } from '../support/builders.ts';
import { curveJwk, keySet, publicHalf, secretJwk } from '../support/keys.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { sealWith } from './opening.ts';

async function check(...paths: readonly string[]) {
  const { files } = await checkDocuments(paths, options(createOpener(undefined, false)));
  return files.map(({ path, problems }) => ({ path, problems }));
}

function options(open: OpenDocument): CheckOptions {
  return {
    rules: { isAllowedPort: (port) => port === 443, mostInFlight: 16 },
    open,
    signal: new AbortController().signal,
  };
}

const valid = JSON.stringify(aConfiguration({ _id: 'good' }));

describe('checkDocuments', () => {
  it('returns every problem of every file, and checks disabled configurations too', async () => {
    const bad = [
      aConfiguration({ _id: 'first', url: 'http://a.example/', events: [] }),
      aConfiguration({ _id: 'good' }),
      aConfiguration({ _id: 'third', enabled: false, paused: 1 }),
    ];
    await using folder = await writeTemporaryFiles({ 'a.json': valid, 'b.json': JSON.stringify(bad), 'c.yaml': '' });
    expect(await check(folder.root, folder.path('none.yaml'))).toEqual([
      { path: folder.path('a.json'), problems: [] },
      {
        path: folder.path('b.json'),
        problems: [
          `entry 2 has the _id of entry 1 in ${folder.path('a.json')}: good`,
          'entry 1 (first): url: must be an absolute https: URL',
          'entry 1 (first): events: must be a non-empty list of certificate_completed, certificate_expired',
          'entry 3 (third): paused: must be true or false',
        ],
      },
      { path: folder.path('c.yaml'), problems: ['is empty; to have no configurations, write []'] },
      { path: folder.path('none.yaml'), problems: ["can't be read (ENOENT)"] },
    ]);
  });

  it('reads a file once that is named twice', async () => {
    await using folder = await writeTemporaryFiles({ 'a.json': valid });
    const path = folder.path('a.json');
    const missing = folder.path('none.json');
    expect(await check(path, folder.root, path, missing, missing)).toEqual([
      { path, problems: [] },
      { path: missing, problems: ["can't be read (ENOENT)"] },
    ]);
  });

  it('reads standard input once for -, if it may', async () => {
    await using folder = await writeTemporaryFiles({ 'a.json': valid });
    const text = JSON.stringify([aConfiguration({ _id: 'other' }), { _id: 'wrong' }]);
    let reads = 0;
    const readInput = async () => {
      reads += 1;
      return { kind: 'text', text } as const;
    };
    const opener = options(createOpener(undefined, false));
    const { files, entries } = await checkDocuments(['-', folder.root, '-'], { ...opener, readInput });
    expect(files.map(({ path, problems }) => [path, problems.length])).toEqual([
      ['-', 2],
      [folder.path('a.json'), 0],
    ]);
    expect([reads, entries.map(({ entry }) => entry.id)]).toEqual([1, ['other', 'wrong', 'good']]);
    expect(await check('-')).toEqual([{ path: '-', problems: ["can't be read (ENOENT)"] }]);
  });

  it('refuses a folder without files', async () => {
    await using folder = await writeTemporaryFiles({});
    await mkdir(folder.path('empty'));
    expect(await check(folder.path('empty'))).toEqual([
      { path: folder.path('empty'), problems: ['holds no .json, .yaml or .yml file'] },
    ]);
  });
});

describe('checkDocuments with sealed configurations', () => {
  const pair = curveJwk('pair', 'X25519');

  const sealed = (overrides: Document = {}) => sealWith(keySet(publicHalf(pair)), aConfiguration(overrides));

  async function checkOne(document: Document, open: OpenDocument) {
    await using folder = await writeTemporaryFiles({ 'a.json': JSON.stringify(document) });
    const { files, entries } = await checkDocuments([folder.path('a.json')], options(open));
    return { problems: files[0]?.problems, notes: files[0]?.notes, opened: entries[0]?.opened };
  }

  it('checks the contents of the parts that it opened', async () => {
    const open = createOpener(keySet(pair), true);
    expect(await checkOne(await sealed(), open)).toEqual({ problems: [], notes: [], opened: aConfiguration() });
    const wrong = await sealed({ auth: { authType: 'api_key', token: 'tök' }, customHeaders: { 'x-api-key': 'x' } });
    expect((await checkOne(wrong, open)).problems).toEqual([
      'entry 1 (665f1f77bcf86cd799439011): auth.token: must be printable ASCII',
      "entry 1 (665f1f77bcf86cd799439011): customHeaders.x-api-key: the name, in any case, must not be another header's too",
    ]);
  });

  it('leaves out and notes the parts that the keys can seal but not open', async () => {
    const how = 'is sealed by ECDH-ES+A256KW with the key "pair", which WEBHOOK_KEYS_FILE only seals with';
    const notes = ['auth', 'customHeaders'].map(
      (part) => `entry 1 (665f1f77bcf86cd799439011): ${part}: ${how}, so what is inside is not checked`,
    );
    const open = createOpener(keySet(publicHalf(pair)), true);
    expect(await checkOne(await sealed(), open)).toMatchObject({ problems: [], notes });
    expect((await checkOne({ ...(await sealed()), url: 'https://other.example/' }, open)).problems).toEqual([
      'entry 1 (665f1f77bcf86cd799439011): auth: is sealed for a url with another origin',
      'entry 1 (665f1f77bcf86cd799439011): customHeaders: is sealed for a url with another origin',
    ]);
  });

  it('refuses parts whose key is missing, and all sealed parts without keys', async () => {
    const other = await checkOne(await sealed(), createOpener(keySet(secretJwk('other')), false));
    const without = 'by ECDH-ES+A256KW with the key "pair", and WEBHOOK_KEYS_FILE holds no such key';
    expect(other.problems).toEqual(
      ['auth', 'customHeaders'].map((part) => `entry 1 (665f1f77bcf86cd799439011): ${part}: is sealed ${without}`),
    );
    const none = await checkOne(await sealed(), createOpener(undefined, false));
    expect(none.problems?.[0]).toMatch(/auth: is sealed, and there is no WEBHOOK_KEYS_FILE$/);
  });

  it('ignores sealed parts when the keys are unknown', async () => {
    expect((await checkOne(await sealed(), ignoreSealed)).problems).toEqual([]);
    expect((await checkOne(await sealed({ enabled: 1 }), ignoreSealed)).problems).toHaveLength(1);
  });
});
