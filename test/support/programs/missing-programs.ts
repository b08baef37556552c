import { programNames, programOf, type ProgramName } from './programs.ts';

/** A program that this machine lacks, or that it has and cannot use. */
export interface Lack {
  readonly program: ProgramName;
  /** Why it cannot be used, if it is installed. */
  readonly problem?: string;
}

/** Returns the one command that installs all of them, or undefined where no package helps. */
export function installCommand(lacks: readonly Lack[]): string | undefined {
  const packages = packagesOf(lacks.filter(({ problem }) => problem === undefined).map(({ program }) => program));
  if (packages.length === 0) return undefined;
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  return process.getuid?.() === 0 ? command : `sudo ${command}`;
}

/** Returns the packages of the programs, each once and in the order of the table. */
export function packagesOf(names: readonly ProgramName[]): readonly string[] {
  const packages = programNames
    .filter((name) => names.includes(name))
    .map(programOf)
    .flatMap(({ packages: some }) => some);
  return [...new Set(packages)];
}

/** Says in one line what the program is for, and why it cannot be used if it is installed. */
export function describeLack({ program, problem }: Lack): string {
  const { purpose } = programOf(program);
  return problem === undefined ? purpose : `${purpose}; it does not work here: ${problem}`;
}
