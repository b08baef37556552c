import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { needs } from '../programs/needs.ts';

const module = new URL('end-with-parent.ts', import.meta.url).href;
const endless = 'console.log("up"); setInterval(() => {}, 1000)';
const starter = `
  import { spawn } from 'node:child_process';
  import { endWithParent } from ${JSON.stringify(module)};
  const [file, ...rest] = [...endWithParent(), process.execPath, '--eval', ${JSON.stringify(endless)}];
  spawn(file, rest, { stdio: 'inherit' });
`;

it('ends a process with its parent, even when the parent is killed', needs('setpriv'), async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  // `close` comes after the end of the last process that holds the output.
  const [, signal] = await once(parent, 'close');
  expect(signal).toBe('SIGKILL');
});
