import { join } from 'node:path';
import { chmod } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { writeTemporaryFiles } from '../files/temporary-files.ts';
import { MissingProgramError, needsOn, skippedWithout } from './needs.ts';
import { findProgram, type Machine } from './programs.ts';

const bare: Machine = { platform: 'linux', arch: 'x64', env: { PATH: '' } };

it('skips the tests of a missing program, and notes which one it is', () => {
  expect(needsOn(bare, ['python', 'helm'])).toEqual({ skip: true, meta: { lacks: [{ program: 'python' }] } });
});

it('runs the tests whose programs are there', () => {
  expect(needsOn(bare, ['helm'])).toEqual({});
  expect(skippedWithout([], bare)).toEqual({});
});

it('fails with CI=true, and says what to install', () => {
  const ci: Machine = { ...bare, env: { PATH: '', CI: 'true' } };
  const attempt = (): unknown => needsOn(ci, ['promtool', 'prometheus', 'python']);
  expect(attempt).toThrow(MissingProgramError);
  expect(attempt).toThrow(/apt-get install --no-install-recommends prometheus python3$/);
  expect(needsOn(ci, ['helm'])).toEqual({});
});

it('fails with CI=true for a program that is installed and does not work', () => {
  const lacks = [{ program: 'podman', problem: 'not permitted' }] as const;
  expect(() => skippedWithout(lacks, { env: { CI: 'true' } })).toThrow('it does not work here: not permitted');
  expect(skippedWithout(lacks, bare)).toEqual({ skip: true, meta: { lacks } });
});

it('finds a program in the folder that its variable names, and nowhere else', async () => {
  await using files = await writeTemporaryFiles({ etcd: '#!/bin/sh\n' });
  await chmod(files.path('etcd'), 0o755);
  expect(findProgram('etcd', { env: { KUBEBUILDER_ASSETS: files.root } })).toBe(files.path('etcd'));
  expect(findProgram('etcd', { env: { KUBEBUILDER_ASSETS: join(files.root, 'x'), PATH: files.root } })).toBeUndefined();
});
