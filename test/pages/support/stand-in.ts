import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Reply } from './local-release.ts';

// Takes the place of kubectl and Helm in a shell. It passes its arguments to the release, and runs what the release replies.
const [url = '', tool = '', ...args] = process.argv.slice(2);
const input = args.includes('apply') ? await text(process.stdin) : '';
const request = { method: 'POST', body: JSON.stringify({ tool, args, folder: process.cwd(), input }) };
const reply = (await (await fetch(url, request)).json()) as Reply;
process.stdout.write(reply.stdout ?? '');
process.stderr.write(reply.stderr ?? '');
process.exitCode = reply.run === undefined ? reply.code : await run(reply.run);

/** Runs a command of the service as the container would, with the input and output of this process. */
async function run({ command, environment, folder, withInput }: NonNullable<Reply['run']>): Promise<number> {
  const child = spawn(process.execPath, command.slice(1), {
    env: environment,
    cwd: folder,
    stdio: [withInput ? 'inherit' : 'ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'close');
  return Number(code ?? 1);
}
