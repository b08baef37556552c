import { rename, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startKeysFile } from '../../../src/webhooks/files/keys-file.ts';
import { keySetText, secretJwk } from '../../support/keys.ts';
import { PollClock } from '../poll-clock.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';

async function startWatching(path: string) {
  const clock = new PollClock();
  const used: (readonly (string | undefined)[])[] = [];
  const emitted: string[] = [];
  const file = await startKeysFile({
    path,
    use: (keys) => void used.push(keys.map(({ kid }) => kid)),
    events: {
      keysReloaded: ({ keys }) => void emitted.push(`reloaded ${keys}`),
      configurationReloadFailed: ({ reason }) => void emitted.push(`failed: ${reason}`),
    },
    clock,
    signal: new AbortController().signal,
  });
  return { clock, used, emitted, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}

const old = keySetText(secretJwk('old'));
const both = keySetText(secretJwk('new'), secretJwk('old'));

describe('a file of keys', () => {
  it('is used from the start, and again after each change', async () => {
    await using folder = await writeTemporaryFiles({ 'keys.json': old, next: both });
    await using watched = await startWatching(folder.path('keys.json'));
    expect(watched.used).toEqual([['old']]);
    await rename(folder.path('next'), folder.path('keys.json'));
    await watched.clock.poll(3);
    expect(watched.used).toEqual([['old'], ['new', 'old']]);
    expect(watched.emitted).toEqual(['reloaded 2']);
  });

  it('keeps its last good keys while it is unusable, and reports that once, without key material', async () => {
    await using folder = await writeTemporaryFiles({ 'keys.json': old });
    await using watched = await startWatching(folder.path('keys.json'));
    await folder.write('keys.json', keySetText(secretJwk('short', { k: 'c2VjcmV0' }), { kty: 'RSA' }));
    await watched.clock.poll(4);
    await rm(folder.path('keys.json'));
    await watched.clock.poll(4);
    expect(watched.used).toEqual([['old']]);
    await folder.write('keys.json', both);
    await watched.clock.poll(3);
    expect(watched.used).toEqual([['old'], ['new', 'old']]);
    expect(watched.emitted).toEqual([
      'failed: key 1 (kid "short") has a k that is not 32 or 16 bytes in base64url; ' +
        'key 2 is not complete, or has a value that is wrong',
      "failed: can't be read (ENOENT)",
      'reloaded 2',
    ]);
  });

  it.each([
    ['is missing', undefined, "can't be read (ENOENT)"],
    ['is not a key set', '{"kty":"oct","k":"c2VjcmV0"}', 'it is not a JSON object with a list of keys'],
  ])('is fatal at the start when it %s, and is named in the error', async (_, text, problem) => {
    await using folder = await writeTemporaryFiles(text === undefined ? {} : { 'keys.json': text });
    const path = folder.path('keys.json');
    await expect(startWatching(path)).rejects.toThrow(
      expect.objectContaining({ name: 'KeysFileError', message: `${path}: ${problem}` }),
    );
  });
});
