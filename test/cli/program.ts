import type { Environment } from '../../src/settings.ts';
import { ServiceProcess } from '../support/service/service-process.ts';

interface RunResult {
  readonly code: number | null;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Time in ms after which a command that has not ended is described. It is below the shortest limit of a test. */
const tellAfterMs = 45_000;

/** Runs the program to its end. */
export async function run(environment: Environment, ...args: readonly string[]): Promise<RunResult> {
  await using program = new ServiceProcess(environment, args);
  const { code } = await program.exitedOrTold(tellAfterMs);
  return { code, out: [...program.output], err: [...program.errors] };
}

/** Returns the number that the program printed after these words. */
export function printedCount({ out, err }: RunResult, words: string): number {
  const line = out.find((text) => text.trim().startsWith(`${words}: `));
  if (line === undefined) throw new Error(`expected "${words}" in the output: ${[...out, ...err].join(' | ')}`);
  return Number(line.slice(line.lastIndexOf(' ')));
}
