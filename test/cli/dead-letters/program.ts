import type { Environment } from '../../../src/settings.ts';
import { ServiceProcess } from '../../support/service/service-process.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Runs the program to its end. */
export async function run(environment: Environment, ...args: readonly string[]): Promise<Ran> {
  await using program = new ServiceProcess(environment, args);
  const { code } = await program.exited();
  return { code, out: [...program.output], err: [...program.errors] };
}

/** The number behind these words in what it printed. */
export function told({ out, err }: Ran, words: string): number {
  const line = out.find((text) => text.trim().startsWith(`${words}: `));
  if (line === undefined) throw new Error(`it did not say "${words}", but: ${[...out, ...err].join(' | ')}`);
  return Number(line.slice(line.lastIndexOf(' ')));
}
