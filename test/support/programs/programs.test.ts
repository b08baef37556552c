import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { writeTemporaryFiles } from '../files/temporary-files.ts';
import { findProgram, isMissing, type Machine } from './programs.ts';

const linux = { platform: 'linux', arch: 'x64' } as const;

function machine(env: NodeJS.ProcessEnv): Machine {
  return { ...linux, env };
}

it('finds a program on the path, under any name it has, if it can be executed', async () => {
  await using files = await writeTemporaryFiles({ promtool: '', 'google-chrome': '' });
  const PATH = `/nonexistent:${dirname(files.path('promtool'))}`;
  await chmod(files.path('google-chrome'), 0o755);
  expect(findProgram('chromium', machine({ PATH }))).toBe(files.path('google-chrome'));
  expect(isMissing('chromium', machine({ PATH }))).toBe(false);
  expect(isMissing('promtool', machine({ PATH }))).toBe(true);
  await chmod(files.path('promtool'), 0o755);
  expect(isMissing('promtool', machine({ PATH }))).toBe(false);
  expect(isMissing('promtool', machine({ PATH: '' }))).toBe(true);
});

it('takes the program that a variable names, and no other', async () => {
  await using files = await writeTemporaryFiles({ browser: '', java: '' });
  await chmod(files.path('browser'), 0o755);
  await chmod(files.path('java'), 0o755);
  const PATH = dirname(files.path('java'));
  expect(findProgram('chromium', machine({ PATH, CHROMIUM: files.path('browser') }))).toBe(files.path('browser'));
  expect(findProgram('java', machine({ PATH }))).toBe(files.path('java'));
  expect(isMissing('java', machine({ PATH, JAVA_HOME: '/nonexistent' }))).toBe(true);
});

it.each([
  ['linux', 'x64', false],
  ['linux', 'arm64', true],
  ['darwin', 'x64', true],
] as const)('has Helm for Linux on x64 alone: on %s %s, missing is %s', (platform, arch, expected) => {
  expect(isMissing('helm', { platform, arch, env: {} })).toBe(expected);
});
