import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { optionsOfImage } from './node-options.ts';

const run = promisify(execFile);
const program = ['--print', '"started"'];

it('the options of the image are such as Node.js takes where it is given them', async () => {
  const { inEnvironment, onCommandLine } = optionsOfImage();
  const env = { NODE_OPTIONS: inEnvironment.join(' ') };
  const { stdout } = await run(process.execPath, [...onCommandLine, ...program], { env });
  expect(stdout).toBe('started\n');
});
