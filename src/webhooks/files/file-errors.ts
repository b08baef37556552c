import type { FileProblem } from './documents.ts';

/** Thrown when the files hold no usable set of configurations. The message names each unusable file and the reason. */
export class ConfigurationFilesError extends Error {
  override readonly name = 'ConfigurationFilesError';
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(describeProblems(problems));
    this.problems = problems;
  }
}

/** Thrown when the file holds no usable set of keys. The message lists the problems and contains no key material. */
export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';
  readonly problems: readonly string[];

  constructor(path: string, problems: readonly string[]) {
    super(`${path}: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

export function describeProblems(problems: readonly FileProblem[]): string {
  return problems.map(({ path, problem }) => `${path} ${problem}`).join('; ');
}
