import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { root } from '../files/sources.ts';

interface Run {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs the tests of one file, with nothing on the path, and without downloads of earlier runs. */
async function runTests(file: string, env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const project = file.startsWith('test/scenarios/') ? 'kafka' : 'unit';
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, file];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      words,
      { cwd: root, env: { PATH: '', LOCAL_KAFKA_CACHE: '/nonexistent', ...env } },
      (error, stdout, stderr) => resolve({ succeeded: error === null, output: `${stderr}${stdout}` }),
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

it('runs on the memory broker without Java, and says so first', async () => {
  const { succeeded, output } = await runTests('test/scenarios/records/transactions.test.ts');
  expect(succeeded).toBe(true);
  const lines = output.split('\n').filter((line) => line !== '');
  expect(lines[0]).toContain(
    'Without Apache Kafka: the broker is the one of the simulation, in memory (no java, no maven',
  );
  expect(lines[1]).toContain('apt-get install --no-install-recommends openjdk-17-jre-headless maven');
  expect(lines.slice(-4)).toEqual([
    'Not run: 2 tests, because these programs are missing:',
    expect.stringContaining('2 java'),
    expect.stringContaining('2 maven'),
    expect.stringContaining('apt-get install'),
  ]);
}, 60_000);

it('fails with CI=true for want of Kafka', async () => {
  const { succeeded, output } = await runTests('test/scenarios/records/transactions.test.ts', { CI: 'true' });
  expect(succeeded).toBe(false);
  expect(output).toContain('Apache Kafka needs Java 17 or later');
}, 60_000);
