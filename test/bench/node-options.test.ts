import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { optionsOfImage } from './node-options.ts';

const run = promisify(execFile);

it('the options of the image are such as Node.js takes from the environment', async () => {
  const NODE_OPTIONS = optionsOfImage().join(' ');
  const { stdout } = await run(process.execPath, ['--print', '"started"'], { env: { NODE_OPTIONS } });
  expect(stdout).toBe('started\n');
});
