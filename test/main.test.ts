import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { root } from './support/files/sources.ts';
import { writeTemporaryFiles } from './support/files/temporary-files.ts';

/** A module that is loaded before the service and sends it SIGTERM while it loads. */
const signalWhileLoading = `
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.endsWith('/src/cli/run-command.ts')) process.kill(process.pid, 'SIGTERM');
    return next(url, context);
  },
});
`;

it('drains and exits with code 0 even if SIGTERM comes while it is loading', async () => {
  await using files = await writeTemporaryFiles({ 'preload.mjs': signalWhileLoading });
  const service = spawn(process.execPath, ['--import', files.path('preload.mjs'), 'src/main.ts'], {
    cwd: root,
    env: { KAFKA_BROKERS: '127.0.0.1:1', HTTP_HOST: '127.0.0.1', HTTP_PORT: '0' },
    stdio: 'ignore',
  });
  expect(await once(service, 'exit')).toEqual([0, null]);
}, 30_000);
