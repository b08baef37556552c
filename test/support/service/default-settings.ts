import { parseSettings } from '../../../src/settings/parse-settings.ts';
import type { Environment, Settings } from '../../../src/settings.ts';
import { variableEntries, type VariableName } from '../../../src/settings/variables.ts';

/** Returns the default settings, with a broker that does not exist and with these variables. */
export function defaultSettings(environment: Environment = {}): Settings {
  const parsed = parseSettings({ KAFKA_BROKERS: 'none:9092', ...environment }, new Map());
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.settings;
}

/** Returns the text of a default. Empty if there is none. */
export function defaultOf(name: VariableName): string {
  return variableEntries.find(([one]) => one === name)?.[1].default ?? '';
}
