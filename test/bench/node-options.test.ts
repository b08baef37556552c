import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { optionsOfImage } from './node-options.ts';

const run = promisify(execFile);
const program = ['--print', '"started"'];

it('finds options in the Dockerfile that Node.js accepts', async () => {
  const { inEnvironment, onCommandLine } = optionsOfImage();
  const env = { NODE_OPTIONS: inEnvironment.join(' ') };
  const { stdout } = await run(process.execPath, [...onCommandLine, ...program], { env });
  expect(stdout).toBe('started\n');
});
