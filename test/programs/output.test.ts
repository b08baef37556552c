import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { aConfiguration, json } from '../support/builders.ts';
import { writeTemporaryFiles } from '../support/files/temporary-files.ts';
import { root } from '../support/files/sources.ts';
import { keySetText, secretJwk } from '../support/keys.ts';
import { readSlowly } from '../cli/output/slow-reader.ts';

const mebibyte = 1024 * 1024;
/** A thousand configurations in more than 1 MiB. */
const large = json(
  Array.from({ length: 1000 }, (_, index) =>
    aConfiguration({ _id: `webhook-${index}`, customHeaders: { 'X-Padding': 'x'.repeat(1000) } }),
  ),
);
/** Ten thousand configurations with more than 1 MiB of problems. */
const invalid = json(Array.from({ length: 10_000 }, (_, index) => ({ _id: `webhook-${index}` })));

describe('output through a slow pipe', () => {
  it('of configurations seal is whole, although nobody reads it until everything is sealed', async () => {
    await using files = await writeTemporaryFiles({ 'a.json': large, 'keys.json': keySetText(secretJwk('a')) });
    const { code, stdout } = await readSlowly(
      { WEBHOOK_KEYS_FILE: files.path('keys.json') },
      ['configurations', 'seal', files.path('a.json')],
      { holdBack: { stream: 'stdout', until: 'sealed, parts: 2000' } },
    );
    expect([code, Buffer.byteLength(stdout) > mebibyte]).toEqual([0, true]);
    expect(JSON.parse(stdout)).toHaveLength(1000);
  });

  it.each([
    ['configurations check', ['configurations', 'check']],
    ['check-config', ['check-config']],
  ])('of %s is whole, although nobody reads the problems until it is done', async (_, args) => {
    await using files = await writeTemporaryFiles({ 'invalid.json': invalid, 'valid.json': json(aConfiguration()) });
    const { code, stderr } = await readSlowly(
      { KAFKA_BROKERS: '127.0.0.1:1' },
      [...args, files.path('invalid.json'), files.path('valid.json')],
      { holdBack: { stream: 'stderr', until: 'valid.json: ok' } },
    );
    expect([code, Buffer.byteLength(stderr) > mebibyte]).toEqual([2, true]);
    const ids = new Set(stderr.match(/webhook-\d+/g));
    expect(ids.size).toBe(10_000);
    expect(stderr.endsWith('\n')).toBe(true);
  });
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
