import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/lib/secret.ts';
import { createLogger } from '../../../src/telemetry/logger/logger.ts';
import { needs } from '../../support/programs/needs.ts';
import { writeTemporaryFiles } from '../../support/files/temporary-files.ts';
import { captureLog } from '../support/log.ts';

describe('a log line', () => {
  it('is one JSON object: level, time, service, version, then its own fields', () => {
    const written: string[] = [];
    const destination = { write: (line: string) => void written.push(line) };
    createLogger({ level: 'info', version: '1.2.3', destination }).warn({
      event: 'record.rejected',
      status: undefined,
    });
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(
      /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","service":"certificate-webhooks","version":"1\.2\.3","event":"record\.rejected"\}\n$/,
    );
  });

  it('contains no secret, at any depth', () => {
    const { logger, text: written } = captureLog('trace');
    const secret = new Secret('hunter2');
    logger.info({ secret, nested: { list: [secret] } }, 'text %s %o %j', secret, secret, { secret });
    logger.child({ secret }).info(String(secret));
    expect(written()).not.toContain('hunter2');
    expect(written().match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(6);
  });

  it('contains neither the properties of an error nor the message of its cause', () => {
    const { logger, text: written } = captureLog();
    const cause = new Error('hunter2');
    const err = Object.assign(new Error('refused', { cause }), { headers: { authorization: 'hunter2' } });
    logger.error({ event: 'x.failed', err });
    expect(written()).not.toContain('hunter2');
  });
});

describe('standard output', () => {
  it('has every line once the process has exited, even after `process.exit`', async () => {
    const child = startLogging(2000, 'exit');
    const [written, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
    expect(code).toBe(3);
    expect(linesOf(written).map(({ line }) => line)).toEqual(Array.from({ length: 2000 }, (_, index) => index));
  });

  it('has its lines in their order after a flush, even if no thread was free for a write', async () => {
    const child = startLogging(20, 'busy');
    const [written, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
    expect(code).toBe(3);
    expect(linesOf(written).map(({ line }) => line)).toEqual(Array.from({ length: 21 }, (_, index) => index));
  });

  it('may be full: the process exits normally and reports nothing', needs('/dev/full'), async () => {
    await using full = await open('/dev/full', 'w');
    const child = startLogging(3, 'exit', { output: full.fd, errors: 'pipe' });
    const [errors, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
    expect({ code, errors }).toEqual({ code: 3, errors: '' });
  });

  it('gets many lines in few writes, because one block a turn would be too slow', async () => {
    await using files = await writeTemporaryFiles({ log: '' });
    await using log = await open(files.path('log'), 'a');
    const child = startLogging(3000, files.path('log'), { output: log.fd });
    const [[writes]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
    expect(writes).toBeLessThanOrEqual(4);
  });

  it('loses lines, which are counted, if its reader stalls; the process continues', async () => {
    const child = startLogging(8000, 'stay');
    await once(child, 'message');
    const [written, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
    expect(code).toBe(0);
    const logged = linesOf(written).filter(({ event }) => event === 'test.logged').length;
    const dropped = linesOf(written).find(({ event }) => event === 'log.dropped');
    expect(logged).toBeLessThan(8000);
    expect(dropped).toMatchObject({ level: 'warn', lines: 8000 - logged });
  });
});

interface Outputs {
  readonly output?: number | 'pipe';
  readonly errors?: 'inherit' | 'pipe';
}

function startLogging(
  lines: number,
  then: string,
  { output = 'pipe', errors = 'inherit' }: Outputs = {},
): ChildProcess {
  const program = new URL('../support/logging-process.ts', import.meta.url);
  return fork(program, [String(lines), then], { stdio: ['ignore', output, errors, 'ipc'], execArgv: [] });
}

async function textOf(stream: Readable | null): Promise<string> {
  return stream === null ? '' : text(stream);
}

function linesOf(written: string): readonly Readonly<Record<string, unknown>>[] {
  return written
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
}
