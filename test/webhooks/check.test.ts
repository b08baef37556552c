import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../../src/webhooks/check.ts';
import { aConfiguration } from '../support/builders.ts';
import { TemporaryFolder } from './temporary-folder.ts';

function check(...paths: readonly string[]) {
  return checkDocuments(paths, { isAllowedPort: (port) => port === 443, signal: new AbortController().signal });
}

const good = JSON.stringify(aConfiguration({ _id: 'good' }));

describe('checking files', () => {
  it('finds nothing in good ones', async () => {
    await using folder = await TemporaryFolder.create({ 'a.json': good, 'b.yaml': '[]' });
    expect(await check(folder.at('a.json'), folder.at('b.yaml'))).toEqual([
      { path: folder.at('a.json'), problems: [] },
      { path: folder.at('b.yaml'), problems: [] },
    ]);
  });

  it('tells every problem of every file, those of configurations that are not enabled included', async () => {
    const bad = [
      aConfiguration({ _id: 'first', url: 'http://a.example/', events: [] }),
      aConfiguration({ _id: 'good' }),
      aConfiguration({ _id: 'third', enabled: false, paused: 1 }),
    ];
    await using folder = await TemporaryFolder.create({ 'a.json': good, 'b.json': JSON.stringify(bad), 'c.yaml': '' });
    expect(await check(folder.path, folder.at('none.yaml'))).toEqual([
      { path: folder.at('a.json'), problems: [] },
      {
        path: folder.at('b.json'),
        problems: [
          `entry 2 has the _id of entry 1 in ${folder.at('a.json')}: good`,
          'entry 1 (first): url: must be an absolute https: URL',
          'entry 1 (first): events: must be a non-empty list of certificate_completed, certificate_expired',
          'entry 3 (third): paused: must be true or false',
        ],
      },
      { path: folder.at('c.yaml'), problems: ['is empty; to have no configurations, write []'] },
      { path: folder.at('none.yaml'), problems: ["can't be read (ENOENT)"] },
    ]);
  });

  it('counts a file once that is named twice', async () => {
    await using folder = await TemporaryFolder.create({ 'a.json': good });
    const path = folder.at('a.json');
    const missing = folder.at('none.json');
    expect(await check(path, folder.path, path, missing, missing)).toEqual([
      { path, problems: [] },
      { path: missing, problems: ["can't be read (ENOENT)"] },
    ]);
  });

  it('takes a folder without files for a mistake', async () => {
    await using folder = await TemporaryFolder.create();
    await mkdir(folder.at('empty'));
    expect(await check(folder.at('empty'))).toEqual([
      { path: folder.at('empty'), problems: ['holds no .json, .yaml or .yml file'] },
    ]);
  });
});
