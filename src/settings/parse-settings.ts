import { assembleSettings } from './assemble-settings.ts';
import { effectiveSettings } from './effective-settings.ts';
import type { FileContents } from './files.ts';
import type { Environment } from './source.ts';
import type { Problem } from './problem.ts';
import { readVariables } from './parse-variables.ts';
import { relationProblems } from './checks/consistency.ts';
import type { Settings } from './sections.ts';
import { unknownVariableWarnings } from './checks/unknown-variables.ts';
import { relationWarnings } from './checks/warnings.ts';

export type LoadedSettings =
  | { readonly kind: 'ok'; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[]; readonly warnings: readonly string[] };

/** The settings, or every problem there is. `files` holds what the environment names. */
export function parseSettings(environment: Environment, files: FileContents): LoadedSettings {
  const reading = readVariables(environment, files);
  const problems = [...nodeProblems(environment), ...reading.problems, ...relationProblems(reading)];
  const warnings = [...unknownVariableWarnings(environment), ...relationWarnings(reading)];
  if (problems.length > 0) return { kind: 'problems', problems, warnings };
  const settings = { ...assembleSettings(reading), effective: effectiveSettings(environment) };
  return { kind: 'ok', settings, warnings };
}

/** Node itself reads this one, and would then take any certificate for good. */
function nodeProblems(environment: Environment): readonly Problem[] {
  const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';
  if (environment[variable] !== '0') return [];
  return [{ variable, given: '"0"', expected: 'it not to be set, since certificates are always verified' }];
}
