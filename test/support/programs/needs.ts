import type { TestOptions } from 'vitest';
import { isCi } from '../ci.ts';
import { describeLack, installCommand, type Lack } from './missing-programs.ts';
import { isMissing, type Machine, type ProgramName } from './programs.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The missing programs for which the test was skipped. */
    readonly lacks?: readonly Lack[];
  }
}

/**
 * Returns the options of a test, or of a group of tests, that starts these programs. Where one is missing, the tests are
 * skipped, and the last lines of the run name it. With `CI=true` this throws instead, and the file fails.
 */
export function needs(...names: readonly ProgramName[]): TestOptions {
  return needsOn(process, names);
}

export function needsOn(machine: Machine, names: readonly ProgramName[]): TestOptions {
  const lacks = names.filter((name) => isMissing(name, machine)).map((program) => ({ program }));
  return skippedWithout(lacks, machine);
}

/** Returns the same for programs that were looked for beforehand. */
export function skippedWithout(lacks: readonly Lack[], { env }: Pick<Machine, 'env'> = process): TestOptions {
  if (lacks.length === 0) return {};
  if (isCi(env)) throw new MissingProgramError(lacks);
  return { skip: true, meta: { lacks } };
}

/** A program is missing where no test may be skipped. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';

  constructor(lacks: readonly Lack[]) {
    const lines = lacks.map((lack) => `${lack.program} is missing: it ${describeLack(lack)}.`);
    const command = installCommand(lacks);
    const advice = command === undefined ? '' : ` Install what is missing: ${command}`;
    super(`${lines.join('\n')}\nWith CI=true no test may be skipped.${advice}`);
  }
}
