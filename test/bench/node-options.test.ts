import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { optionsOfImage } from './node-options.ts';

const run = promisify(execFile);

it('Node.js takes the options of the image from where the image has them', async () => {
  const { environment, commandLine } = optionsOfImage();
  const env = { NODE_OPTIONS: environment.join(' ') };
  const { stdout } = await run(process.execPath, [...commandLine, '--print', '"started"'], { env });
  expect(commandLine).not.toEqual([]);
  expect(stdout).toBe('started\n');
});
