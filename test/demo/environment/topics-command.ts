import type { Environment } from '../../../src/settings.ts';
import { untilAborted } from '../until-aborted.ts';
import { Program } from './program.ts';

/** A command of the service did not succeed; the message holds what it printed. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
}

/** Runs `topics --create`, as an operator does. Resolves to the topics that it made. */
export async function createTopics(environment: Environment, signal: AbortSignal): Promise<readonly string[]> {
  const lines: string[] = [];
  await using command = new Program({
    words: ['topics', '--create'],
    environment,
    onLine: (line) => lines.push(line),
  });
  const code = await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(60_000)]), command.exited);
  if (code !== 0) {
    throw new CommandFailedError([`topics --create ended with ${code}.`, ...lines, ...command.errors].join('\n'));
  }
  return lines.flatMap((line) => /^made ([^,]+),/.exec(line)?.[1] ?? []);
}
