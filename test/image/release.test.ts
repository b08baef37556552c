import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root, readText } from '../support/files/sources.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';

const run = promisify(execFile);
const tools = ['podman', 'crane', 'helm', 'syft', 'cosign'];

interface Checkout {
  /** Files of the checkout that differ, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** The programs that are installed, each of which does nothing. */
  readonly installed?: readonly string[];
  readonly isDirty?: boolean;
}

/** Runs the script in a small checkout. Resolves to its last line on standard error. */
async function release({ files = {}, installed = tools, isDirty = false }: Checkout): Promise<string> {
  await using folder = await writeTemporaryFiles({});
  const bin = folder.path('bin');
  const checkout = folder.path('checkout');
  await mkdir(bin);
  for (const path of [
    '.ci/release',
    'package.json',
    'CHANGELOG.md',
    'Dockerfile',
    'helm/certificate-webhooks/Chart.yaml',
  ])
    await cp(join(root, path), join(checkout, path));
  for (const [path, text] of Object.entries(files)) await writeFile(join(checkout, path), text);
  for (const tool of installed) {
    await writeFile(join(bin, tool), '#!/bin/sh\n');
    await chmod(join(bin, tool), 0o755);
  }
  for (const program of ['bash', 'git', 'sed', 'grep', 'dirname', 'mktemp', 'rm', 'date'])
    await symlink((await run('which', [program])).stdout.trim(), join(bin, program));
  await symlink(process.execPath, join(bin, 'node'));
  const git = async (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: checkout });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'All');
  if (isDirty) await writeFile(join(checkout, 'new'), '');
  const environment = { PATH: bin, COSIGN_KEY: 'cosign.key' };
  const { stderr } = await run(join(checkout, '.ci', 'release'), ['registry.example.com'], { env: environment }).catch(
    (error: unknown) => error as { readonly stderr: string },
  );
  return stderr.trim().split('\n').at(-1) ?? '';
}

describe('a release', () => {
  it.each(tools)('is refused without %s', async (tool) => {
    const installed = tools.filter((other) => other !== tool);
    expect(await release({ installed })).toBe(`${tool} is missing`);
  });

  it('is refused with changes that are not committed', async () => {
    expect(await release({ isDirty: true })).toBe('there are changes that are not committed');
  });

  it('is refused for a version that the changelog does not name', async () => {
    const packageJson = JSON.stringify({ name: 'certificate-webhooks', version: '9.9.9' });
    expect(await release({ files: { 'package.json': packageJson } })).toBe('CHANGELOG.md has no entry for 9.9.9');
  });

  it('is refused with a key to sign and none to verify', async () => {
    expect(await release({})).toContain('COSIGN_PUBLIC_KEY');
  });

  it('finds the two lines of the values that name the image', () => {
    const values = readText('helm/certificate-webhooks/values.yaml').split('\n');
    expect(
      values.filter((line) => line === '  repository: certificate-webhooks' || line === '  digest: ""'),
    ).toHaveLength(2);
  });
});
