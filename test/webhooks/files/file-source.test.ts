import { writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, utimes } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { aConfiguration } from '../../support/builders.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { startWatching, watchFile } from './watched-source.ts';

const one = JSON.stringify(aConfiguration({ _id: 'one' }));
const two = JSON.stringify([aConfiguration({ _id: 'two' }), aConfiguration({ _id: 'three' })]);

const fields = '  _ownerId: owner\n  url: https://hooks.example.com/\n  paused: true\n';

describe('a file of configurations', () => {
  it('is read again when an editor replaces it by renaming', async () => {
    await using folder = await writeTemporaryFiles({ 'webhooks.json': two, '.webhooks.json.new': one });
    await using watched = await startWatching(folder.path('webhooks.json'));
    await rename(folder.path('.webhooks.json.new'), folder.path('webhooks.json'));
    await watched.clock.poll(2);
    expect(watched.states()).toEqual(['active', undefined, undefined]);
  });

  it('is read only after two polls agree, so that a half-written file is not loaded', async () => {
    await using watched = await watchFile(two);
    await watched.write('[]');
    await watched.clock.poll(1);
    await watched.write(one);
    await watched.clock.poll(1);
    expect(watched.events).toEqual([]);
    await watched.clock.poll(1);
    expect(watched.events).toEqual(['reloaded 1']);
  });

  it('in YAML is read after ten seconds without a change, because the begin of a file is valid too', async () => {
    const entry = (id: string): string => `- _id: ${id}\n${fields}`;
    const all = ['one', 'two', 'three'].map(entry).join('');
    await using watched = await watchFile(all, 'webhooks.yaml');
    for (const begin of [entry('one'), all.slice(0, -'  paused: true\n'.length), `${all}- _id: four\n`]) {
      await watched.write(begin);
      await watched.clock.poll(10);
      expect(watched.states()).toEqual(['paused', 'paused', 'paused']);
    }
    expect(watched.events).toEqual([]);
    await watched.clock.poll(1);
    expect(watched.events.at(-1)).toEqual('reloaded 4');
  });

  it('is read again when its size is unchanged', async () => {
    await using folder = await writeTemporaryFiles({ 'webhooks.json': one });
    // File systems count time in steps of some milliseconds.
    await utimes(folder.path('webhooks.json'), 0, 0);
    await using watched = await startWatching(folder.path('webhooks.json'));
    await folder.write('webhooks.json', one.replace('"one"', '"two"'));
    await watched.clock.poll(2);
    expect(watched.states()).toEqual([undefined, 'active', undefined]);
  });

  it('is read by a later poll when it changes while it is read', async () => {
    await using watched = await watchFile(two);
    await watched.write('[');
    await watched.clock.poll(1);
    watched.clock.beforeReading = () => writeFileSync(watched.path, one);
    await watched.clock.poll(1);
    watched.clock.beforeReading = () => {};
    expect(watched.events).toEqual([]);
    await watched.clock.poll(2);
    expect(watched.events).toEqual(['reloaded 1']);
  });

  it('keeps its last good configurations while it is unusable, and reports that once', async () => {
    await using watched = await watchFile(two);
    await watched.write('');
    await watched.clock.poll(5);
    await rm(watched.path);
    await watched.clock.poll(5);
    expect(watched.states()).toEqual([undefined, 'active', 'active']);
    await watched.write(one);
    await watched.clock.poll(2);
    const { path } = watched;
    expect(watched.events).toEqual([
      `failed: ${path} is empty; to have no configurations, write []`,
      `failed: ${path} can't be read (ENOENT)`,
      'reloaded 1',
    ]);
  });

  it('has only its invalid entries refused', async () => {
    const entries = [aConfiguration({ _id: 'one', url: 'nonsense' }), aConfiguration({ _id: 'two' }), 'nonsense'];
    await using folder = await writeTemporaryFiles({ 'webhooks.json': JSON.stringify(entries) });
    await using watched = await startWatching(folder.path('webhooks.json'));
    expect(watched.states()).toEqual(['invalid', 'active', undefined]);
    expect(watched.events).toEqual([
      'refused one: url: must be an absolute https: URL',
      'refused webhooks.json#3: must be an object',
    ]);
  });

  it('that holds an empty list removes everything', async () => {
    await using watched = await watchFile(one, 'webhooks.yaml');
    await watched.write('[]');
    await watched.clock.poll(11);
    expect(watched.states()).toEqual([undefined, undefined, undefined]);
  });
});

describe('a folder of configurations', () => {
  it('is read from its .json, .yaml and .yml files, without subfolders and dot files', async () => {
    await using folder = await writeTemporaryFiles({
      'one.json': one,
      'two.yml': two,
      'notes.txt': 'x',
      '.bad.json': 'x',
      'four.yaml': '_id: four',
    });
    await mkdir(folder.path('folder.json'));
    await folder.write('folder.json/bad.json', 'x');
    await using watched = await startWatching(folder.root);
    expect(watched.states()).toEqual(['active', 'active', 'active']);
    expect(watched.directory.counts()).toEqual({ active: 3, paused: 0, disabled: 0, invalid: 1 });
  });

  it('is read again when a file is added or removed', async () => {
    await using folder = await writeTemporaryFiles({ 'one.json': one });
    await using watched = await startWatching(folder.root);
    await folder.write('two.json', two);
    await watched.clock.poll(2);
    await rm(folder.path('one.json'));
    await watched.clock.poll(2);
    expect(watched.events).toEqual(['reloaded 3', 'reloaded 2']);
  });

  it('is read again each time Kubernetes swaps the link to its files', async () => {
    await using folder = await writeTemporaryFiles({});
    const swapTo = async (version: string, text: string): Promise<void> => {
      await mkdir(folder.path(version));
      await folder.write(`${version}/webhooks.json`, text);
      await symlink(version, folder.path('..data_tmp'));
      await rename(folder.path('..data_tmp'), folder.path('..data'));
    };
    await swapTo('..version1', two);
    await symlink('..data/webhooks.json', folder.path('webhooks.json'));
    await using watched = await startWatching(folder.root);
    await swapTo('..version2', one);
    await watched.clock.poll(2);
    await swapTo('..version3', two);
    await watched.clock.poll(2);
    expect(watched.events).toEqual(['reloaded 1', 'reloaded 2']);
  });
});

describe('at the start', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['an empty document', { 'a.json': '' }, '/a.json is empty; to have no configurations, write []'],
    ['a file that cannot be parsed', { 'a.json': '{' }, '/a.json is not JSON: line 1'],
    [
      'an id that occurs twice',
      { 'a.json': one, 'b.json': one },
      '/b.json entry 1 has the _id of entry 1 in FOLDER/a.json: one',
    ],
    ['a folder without files', { 'notes.txt': one }, ' holds no .json, .yaml or .yml file'],
    [
      'several problems, each reported',
      { 'a.json': '', 'b.yaml': 'a: "' },
      '/a.json is empty; to have no configurations, write []; FOLDER/b.yaml is not YAML: line 1, MISSING_CHAR',
    ],
  ])('%s is fatal', async (_, files, reason) => {
    await using folder = await writeTemporaryFiles(files);
    const message = `FOLDER${reason}`.replaceAll('FOLDER', folder.root);
    await expect(startWatching(folder.root)).rejects.toThrow(
      expect.objectContaining({ name: 'ConfigurationFilesError', message }),
    );
  });

  it('a dangling link is fatal, and reported by its name', async () => {
    await using folder = await writeTemporaryFiles({ 'one.json': one });
    await symlink('nowhere', folder.path('two.json'));
    await expect(startWatching(folder.root)).rejects.toThrow(`${folder.path('two.json')} can't be read (ENOENT)`);
  });

  it('a missing file, or one that is not UTF-8, is fatal', async () => {
    await using folder = await writeTemporaryFiles({});
    await folder.write('latin1.json', Buffer.from('{"_id":"\xe9"}', 'latin1'));
    await expect(startWatching(folder.path('none.json'))).rejects.toThrow(
      `${folder.path('none.json')} can't be read (ENOENT)`,
    );
    await expect(startWatching(folder.root)).rejects.toThrow(`${folder.path('latin1.json')} is not UTF-8`);
  });
});
