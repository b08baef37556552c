import type { Environment } from '../../../src/settings.ts';
import { untilAborted } from '../until-aborted.ts';
import { Program } from './program.ts';

/** Runs a command of the service. Resolves to the lines of its output. Throws unless its exit code is 0. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = [];
  await using command = new Program({ args, environment, onLine: (line) => lines.push(line) });
  const code = await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(60_000)]), command.exited);
  if (code === 0) return lines;
  throw new Error([`${args.join(' ')} ended with ${code}.`, ...lines, ...command.errors].join('\n'));
}
