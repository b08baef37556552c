import { assembleSettings } from './assemble-settings.ts';
import { consistencyProblems } from './checks/consistency.ts';
import { unknownVariableWarnings } from './checks/unknown-variables.ts';
import { settingsWarnings } from './checks/warnings.ts';
import { effectiveSettings } from './effective-settings.ts';
import type { FileContents } from './files.ts';
import { parseVariables } from './parse-variables.ts';
import type { Problem } from './problem.ts';
import type { WebhookSource } from './kinds/kafka-kinds.ts';
import type { Settings } from './sections.ts';
import type { Environment } from './source.ts';

export type LoadedSettings =
  | { readonly kind: 'ok'; readonly settings: Settings; readonly warnings: readonly string[] }
  | {
      readonly kind: 'problems';
      readonly problems: readonly Problem[];
      readonly warnings: readonly string[];
      /** The source of the webhook configurations, if its variable is valid. Its files can then be checked, too. */
      readonly webhookSource: WebhookSource | undefined;
    };

/** Returns the settings, or all problems. `files` contains the files that the environment names. */
export function parseSettings(environment: Environment, files: FileContents): LoadedSettings {
  const parsed = parseVariables(environment, files);
  const problems = [...nodeProblems(environment), ...parsed.problems, ...consistencyProblems(parsed)];
  const warnings = [...unknownVariableWarnings(environment), ...settingsWarnings(parsed)];
  const webhookSource = parsed.values.WEBHOOK_CONFIGURATIONS;
  if (problems.length > 0) return { kind: 'problems', problems, warnings, webhookSource };
  const settings = { ...assembleSettings(parsed), effective: effectiveSettings(environment) };
  return { kind: 'ok', settings, warnings };
}

/** Refuses the variable by which Node itself turns off certificate verification. */
function nodeProblems(environment: Environment): readonly Problem[] {
  const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';
  if (environment[variable] !== '0') return [];
  return [{ variable, found: '"0"', expected: 'it to be unset, because certificates are always verified' }];
}
