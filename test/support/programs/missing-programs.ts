import { existsSync, readFileSync } from 'node:fs';
import { programNames, programOf, type ProgramName } from './programs.ts';

/** A program that this machine lacks, or that it has and cannot use. */
export interface Lack {
  readonly program: ProgramName;
  /** Why it cannot be used, if it is installed. */
  readonly problem?: string;
}

/** The facts that decide which command installs packages. */
export interface System {
  readonly isUbuntu: boolean;
  readonly isRoot: boolean;
}

/** Returns the one command that installs all of them, or undefined where no package helps. */
export function installCommand(lacks: readonly Lack[], system: System = readSystem()): string | undefined {
  const packages = packagesOf(
    lacks.filter(({ problem }) => problem === undefined).map(({ program }) => program),
    system,
  );
  if (packages.length === 0) return undefined;
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  return system.isRoot ? command : `sudo ${command}`;
}

/** Returns the packages of the programs, each once and in the order of the table. */
export function packagesOf(names: readonly ProgramName[], { isUbuntu }: Pick<System, 'isUbuntu'>): readonly string[] {
  const packages = programNames
    .filter((name) => names.includes(name))
    .map(programOf)
    .flatMap((program) => (isUbuntu ? (program.ubuntuPackages ?? program.packages) : program.packages));
  return [...new Set(packages)];
}

/** Says in one line what the program is for, and why it cannot be used if it is installed. */
export function describeLack({ program, problem }: Lack): string {
  const { purpose } = programOf(program);
  return problem === undefined ? purpose : `${purpose}; it does not work here: ${problem}`;
}

export function readSystem(): System {
  const file = '/etc/os-release';
  const release = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { isUbuntu: /^ID=ubuntu$/m.test(release), isRoot: process.getuid?.() === 0 };
}
