import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { root } from '../files/sources.ts';

interface Run {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs the tests of one file, with nothing on the path. */
async function runTests(file: string, env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', file];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: root, env: { PATH: '', ...env } }, (error, stdout, stderr) =>
      resolve({ succeeded: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

it('ends a run with what it left out, behind the summary', async () => {
  const { succeeded, output } = await runTests('test/deliveries/http/tinyproxy.test.ts');
  expect(succeeded).toBe(true);
  const lines = output.trimEnd().split('\n');
  const first = lines.indexOf('Not run: 2 tests, because these programs are missing:');
  expect(lines.findIndex((line) => line.includes('2 skipped'))).toBeGreaterThan(0);
  expect(lines.findLastIndex((line) => line.includes('Duration'))).toBeLessThan(first);
  expect(lines.slice(first + 1)).toEqual([
    expect.stringContaining('2 tinyproxy'),
    expect.stringContaining('apt-get install --no-install-recommends tinyproxy-bin'),
  ]);
}, 60_000);

it('fails with CI=true for want of a program', async () => {
  const { succeeded, output } = await runTests('test/deliveries/http/tinyproxy.test.ts', { CI: 'true' });
  expect(succeeded).toBe(false);
  expect(output).toContain('tinyproxy is missing');
}, 60_000);
