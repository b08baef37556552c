import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { run } from '../cli/program.ts';
import { aConfiguration, json } from '../support/builders.ts';
import { startListener } from '../support/endpoints/listeners.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { root } from '../support/files/sources.ts';
import { keySetText, secretJwk } from '../support/keys.ts';

const mebibyte = 1024 * 1024;
/** A thousand configurations in more than 1 MiB. */
const large = json(
  Array.from({ length: 1000 }, (_, index) =>
    aConfiguration({ _id: `webhook-${index}`, customHeaders: { 'X-Padding': 'x'.repeat(1000) } }),
  ),
);
it('output through a pipe is whole, although nobody reads it until everything is sealed', async () => {
  await using files = await writeTemporaryFiles({ 'a.json': large, 'keys.json': keySetText(secretJwk('a')) });
  const child = spawn(process.execPath, ['src/main.ts', 'configurations', 'seal', files.path('a.json')], {
    cwd: root,
    env: { PATH: process.env['PATH'], WEBHOOK_KEYS_FILE: files.path('keys.json') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const sealed = Promise.withResolvers<void>();
  child.stderr.setEncoding('utf8').on('data', (said: string) => {
    if (said.includes('sealed, parts: 2000')) sealed.resolve();
  });
  // Without a listener, Node drops what nobody has read when the process exits.
  child.stdout.on('readable', () => undefined);
  await sealed.promise;
  const [stdout, [code]] = await Promise.all([text(child.stdout), exited]);
  expect([code, Buffer.byteLength(stdout) > mebibyte]).toEqual([0, true]);
  expect(JSON.parse(stdout)).toHaveLength(1000);
});

describe('output that can not be written', () => {
  const bash = async (script: string): Promise<readonly unknown[]> => {
    const child = spawn('bash', ['-c', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    return [code, stdout, stderr];
  };

  it('ends the command without a message if the reader has gone', async () => {
    await using files = await writeTemporaryFiles({ 'a.json': large, 'keys.json': keySetText(secretJwk('a')) });
    const seal = `WEBHOOK_KEYS_FILE=${files.path('keys.json')} "${process.execPath}" src/main.ts configurations seal`;
    const [code, stdout, stderr] = await bash(`${seal} ${files.path('a.json')} | head -c 1`);
    expect([code, stdout, stderr]).toEqual([0, '[', expect.stringMatching(/^.*a\.json: sealed, parts: 2000\n$/)]);
  });

  it('ends the command with 1 and says why if the disk is full', async () => {
    const outcome = await bash(`"${process.execPath}" src/main.ts help > /dev/full`);
    expect(outcome).toEqual([1, '', 'error: standard output: ENOSPC\n']);
  });
});

it('a command names the broker that takes the connection and never answers, and the setting to look at', async () => {
  await using broker = await startListener();
  const address = `127.0.0.1:${broker.port}`;
  const { code, err } = await run({ KAFKA_BROKERS: address }, 'topics');
  expect([code, err]).toEqual([
    1,
    [expect.stringContaining(`(${address} does not answer: look at that broker, and at its port in KAFKA_BROKERS)`)],
  ]);
});
