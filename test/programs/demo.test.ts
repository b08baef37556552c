import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { Program } from '../support/processes/program.ts';
import { compiled } from '../support/processes/compiled.ts';
import { Arrivals } from '../support/time/arrivals.ts';

it('a running demo prints the line with which the commands of the pages work in a second terminal', async () => {
  const printed = new Arrivals<string>('line for a second terminal');
  await using demo = new Program({
    script: 'test/demo/main.ts',
    args: ['--watch'],
    environment: { PATH: process.env['PATH'], ...compiled, KAFKA_BROKERS: inject('kafka').join(), LOG_LEVEL: 'error' },
    onLine: (line) => {
      if (line.startsWith('export ')) printed.add(line);
    },
    isDetached: true,
  });
  const [line = ''] = await printed.first(1);
  const commands = [
    'configurations list --owner 665f1f77bcf86cd799439000',
    'topics',
    'endpoints 665f1f77bcf86cd799439011',
    'try 665f1f77bcf86cd799439011',
    'dead-letters list --since 24h',
  ];
  const script = [line, ...commands.map((command) => `certificate-webhooks ${command}`)].join('\n');
  const bash = ['--norc', '-O', 'expand_aliases', '-eu', '-c', script];
  const { stdout } = await promisify(execFile)('bash', bash, { cwd: '/', env: { PATH: '/usr/bin:/bin' } });
  expect(stdout).toMatch(/^ID .*\n665f1f77bcf86cd799439011 +665f1f77bcf86cd799439000 /);
  expect(stdout).toMatch(/^outcome: delivered /m);
  expect(demo.output.join('\n')).toMatch(/status page +http:\/\/127\.0\.0\.1:\d+\/$/m);
  expect((await demo.stop(30_000)).code).toBe(0);
});
