import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseCommand } from '../../src/cli/command.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { openTerminal } from '../../src/cli/terminal/terminal.ts';
import type { Environment } from '../../src/settings.ts';
import { ServiceProcess } from '../support/service/service-process.ts';

interface RunResult {
  readonly code: number | null;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Runs the program to its end, in a process of its own. */
export async function run(environment: Environment, ...args: readonly string[]): Promise<RunResult> {
  await using program = new ServiceProcess(environment, args);
  const { code } = await program.exited();
  return { code, out: [...program.output], err: [...program.errors] };
}

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end without a process of its own, whose start would cost a second of processor time. Commands read the
 * environment of the process, so they run one after the other.
 */
export async function runHere(environment: Environment, ...args: readonly string[]): Promise<RunResult> {
  const running = previous.then(() => runWith(environment, args));
  previous = running.catch(() => undefined);
  return running;
}

async function runWith(environment: Environment, args: readonly string[]): Promise<RunResult> {
  const streams = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() };
  const printed = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const terminal = openTerminal(new AbortController(), streams, false);
  const { env } = process;
  process.env = { PATH: env['PATH'], ...environment };
  try {
    const code = await terminal.close(await runCommand(parseCommand(args), terminal));
    streams.stdout.end();
    streams.stderr.end();
    const [out, err] = (await printed).map((lines) => lines.split('\n').slice(0, -1));
    return { code, out: out ?? [], err: err ?? [] };
  } finally {
    process.env = env;
  }
}

/** Returns the number that the program printed after these words. */
export function printedCount({ out, err }: RunResult, words: string): number {
  const line = out.find((one) => one.trim().startsWith(`${words}: `));
  if (line === undefined) throw new Error(`expected "${words}" in the output: ${[...out, ...err].join(' | ')}`);
  return Number(line.slice(line.lastIndexOf(' ')));
}
