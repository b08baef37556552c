import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runOnFiles, type FilesCommand } from '../../../src/cli/configurations/run-configurations.ts';
import { parseText } from '../../../src/webhooks/files/document-syntax.ts';
import { openDocument } from '../../../src/webhooks/sealing/open-document.ts';
import { aConfiguration } from '../../support/builders.ts';
import { keySet, publicHalf, rsaJwk, secretJwk, type Jwk } from '../../support/keys.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { aTerminal, printing, refusing } from './terminal.ts';

const [old, fresh, pair] = [secretJwk('old'), secretJwk('new'), rsaJwk('pair')];
const one = aConfiguration({ _id: 'one' });
const two = aConfiguration({ _id: 'two', auth: { authType: 'none' }, customHeaders: {} });
const yaml = `# Ours.
- _id: one # the first
  _ownerId: 665f1f77bcf86cd799439000
  url: https://hooks.example.com/certificates
  auth:
    authType: bearer_token
    token: Zt7mQ1x9Vb3nK5w8Rj2cY6hL4pD0sGfA
  customHeaders: { X-Environment: production }
`;

async function run(command: FilesCommand, options: Parameters<typeof aTerminal>[0] = {}) {
  const { context, out, err } = aTerminal(options);
  return { code: await runOnFiles(command, context), out, err };
}

const seal = (...files: readonly string[]) => ({ verb: 'seal', files, write: false, renew: false }) as const;
const check = (...files: readonly string[]) => ({ verb: 'check', files }) as const;

/** Opens the documents of a text with the keys. Unsealed credentials are refused. */
async function opened(path: string, text: string, ...keys: readonly Jwk[]): Promise<readonly unknown[]> {
  const parsed = parseText(path, text);
  const values = parsed.kind === 'value' ? [parsed.value].flat() : [];
  return Promise.all(values.map((value) => openDocument(value, { keys: keySet(...keys), requireSealed: true })));
}

describe('configurations check', () => {
  it('accepts files that the service could use', async () => {
    await using folder = await writeTemporaryFiles({ 'a.json': JSON.stringify([one, two]), 'b.yaml': '[]' });
    expect(await run(check(folder.root))).toEqual(
      printing(`${folder.path('a.json')}: ok`, `${folder.path('b.yaml')}: ok`),
    );
  });

  it('prints every problem of every file', async () => {
    await using folder = await writeTemporaryFiles({
      'a.json': JSON.stringify({ ...one, enabled: 1, url: 'https://user:hush@hooks.example.com/' }),
      'b.json': JSON.stringify(two),
      'c.json': '{',
    });
    const { code, out, err } = await run(check(folder.root), { keys: [old], requireSealed: true });
    expect([code, out]).toEqual([2, [`${folder.path('b.json')}: ok`]]);
    expect(err).toEqual([
      `error: ${folder.path('a.json')}: entry 1 (one): auth: must be sealed`,
      `error: ${folder.path('a.json')}: entry 1 (one): customHeaders: must be sealed`,
      `error: ${folder.path('a.json')}: entry 1 (one): url: must not carry user info`,
      `error: ${folder.path('a.json')}: entry 1 (one): enabled: must be true or false`,
      `error: ${folder.path('c.json')}: is not JSON: line 1`,
    ]);
  });
});

describe('configurations seal', () => {
  it.each([
    ['a.yaml', yaml],
    ['a.json', JSON.stringify(one, null, 2)],
  ])('prints a file with sealed credentials, without changing the file: %s', async (name, text) => {
    await using folder = await writeTemporaryFiles({ [name]: text });
    const { code, out, err } = await run(seal(folder.path(name)), { keys: [old] });
    expect([code, err]).toEqual([0, [`${folder.path(name)}: sealed, parts: 2`]]);
    expect(await readFile(folder.path(name), 'utf8')).toBe(text);
    expect(out.join('\n')).not.toMatch(/Zt7mQ1x9|production/);
    expect(out.slice(0, 2)).toEqual(text.split('\n').slice(0, 2));
    expect(await opened(name, out.join('\n'), old)).toEqual([{ document: one, closed: {} }]);
  });

  it('changes nothing that is sealed already or holds no secret', async () => {
    await using folder = await writeTemporaryFiles({ 'a.yaml': yaml });
    const once = await run(seal(folder.path('a.yaml')), { keys: [old] });
    await folder.write('a.yaml', once.out.join('\n'));
    const twice = await run(seal(folder.path('a.yaml')), { keys: [fresh, old] });
    expect(twice).toEqual({ code: 0, out: once.out, err: [`${folder.path('a.yaml')}: nothing to seal`] });
  });

  it('replaces several files atomically, keeps their modes and follows links', async () => {
    await using folder = await writeTemporaryFiles({ 'a.yaml': yaml, 'b.json': JSON.stringify(two) });
    await chmod(folder.path('a.yaml'), 0o640);
    await mkdir(folder.path('linked'));
    await symlink('../a.yaml', folder.path('linked/c.yaml'));
    const files = [folder.path('linked/c.yaml'), folder.path('b.json')];
    expect(await run({ ...seal(...files), write: true }, { keys: [old] })).toEqual({
      code: 0,
      out: [],
      err: [`${files[0]}: sealed, parts: 2`, `${files[1]}: nothing to seal`],
    });
    expect(await opened('a.yaml', await readFile(folder.path('a.yaml'), 'utf8'), old)).toEqual([
      { document: one, closed: {} },
    ]);
    expect((await stat(folder.path('a.yaml'))).mode & 0o777).toBe(0o640);
    expect(await readFile(folder.path('b.json'), 'utf8')).toBe(JSON.stringify(two));
    expect([await readdir(folder.root), await readdir(folder.path('linked'))]).toEqual([
      ['a.yaml', 'b.json', 'linked'],
      ['c.yaml'],
    ]);
  });

  it('seals parts of another key again with --renew', async () => {
    await using folder = await writeTemporaryFiles({ 'a.json': JSON.stringify(one) });
    const command = { ...seal(folder.path('a.json')), write: true };
    await run(command, { keys: [old] });
    expect(await run({ ...command, renew: true }, { keys: [fresh, old] })).toMatchObject({ code: 0 });
    const text = await readFile(folder.path('a.json'), 'utf8');
    expect(await opened('a.json', text, fresh)).toEqual([{ document: one, closed: {} }]);
  });

  it('needs only the public half of a key pair', async () => {
    await using folder = await writeTemporaryFiles({ 'a.json': JSON.stringify(one) });
    const { code, out } = await run(seal(folder.path('a.json')), { keys: [publicHalf(pair)] });
    expect(code).toBe(0);
    expect(await opened('a.json', out.join('\n'), pair)).toEqual([{ document: one, closed: {} }]);
    await folder.write('a.json', out.join('\n'));
    const { err } = await run(seal(folder.path('a.json')), { keys: [publicHalf(pair)] });
    expect(err[0]).toMatch(/^warning: .*: auth: is sealed by RSA-OAEP-256 .* so what is inside is not checked$/);
    expect(err.at(-1)).toMatch(/nothing to seal$/);
  });

  it.each<readonly [string, Parameters<typeof aTerminal>[0], string]>([
    ['without keys', {}, 'error: WEBHOOK_KEYS_FILE is not set: expected the keys to seal with'],
    [
      'with keys that only open',
      { keys: [{ ...old, key_ops: ['decrypt', 'unwrapKey'] }] },
      'error: WEBHOOK_KEYS_FILE holds no key that seals',
    ],
  ])('does nothing %s', async (_, options, problem) => {
    await using folder = await writeTemporaryFiles({ 'a.json': JSON.stringify(one) });
    expect(await run(seal(folder.path('a.json')), options)).toEqual(refusing(problem));
  });

  it('prints no file with characters that a terminal obeys, because an escape may mean something else in YAML', async () => {
    await using folder = await writeTemporaryFiles({ 'a.yaml': `${yaml}# \u202E\n` });
    const { code, out, err } = await run(seal(folder.path('a.yaml')), { keys: [old] });
    expect([code, out, err.at(-1)]).toEqual([2, [], expect.stringContaining('add --write')]);
  });

  it('does nothing if a file has a problem, or if several files would be printed', async () => {
    await using folder = await writeTemporaryFiles({
      'a.json': JSON.stringify(one),
      'b.json': JSON.stringify({ ...two, url: 'nonsense' }),
    });
    const [a, b] = [folder.path('a.json'), folder.path('b.json')];
    expect(await run({ ...seal(a, b), write: true }, { keys: [old] })).toEqual(
      refusing(`error: ${b}: entry 1 (two): url: must be an absolute https: URL`),
    );
    await folder.write('b.json', JSON.stringify(two));
    expect(await run(seal(a, b), { keys: [old] })).toEqual(
      refusing('error: several files can only be sealed in their places: add --write'),
    );
    expect(await readFile(a, 'utf8')).toBe(JSON.stringify(one));
  });
});
