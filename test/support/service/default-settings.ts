import { parseSettings } from '../../../src/settings/parse-settings.ts';
import {
  describeProblem,
  loadSettings,
  type Environment,
  type LoadedSettings,
  type Settings,
} from '../../../src/settings.ts';
import { variableEntries, type VariableName } from '../../../src/settings/variables.ts';

const broker = { KAFKA_BROKERS: 'none:9092' };

/** Returns the default settings, with a broker that does not exist and with these variables. Reads no files. */
export function defaultSettings(environment: Environment = {}): Settings {
  return withoutProblems(parseSettings({ ...broker, ...environment }, new Map()));
}

/** Reads the settings of a service that starts with these variables. Throws if they have problems. */
export async function settingsFrom(environment: Environment): Promise<Settings> {
  return withoutProblems(await loadSettings({ ...broker, ...environment }));
}

function withoutProblems(loaded: LoadedSettings): Settings {
  if (loaded.kind === 'problems') throw new Error(loaded.problems.map(describeProblem).join('\n'));
  return loaded.settings;
}

/** Returns the text of a default. Empty if there is none. */
export function defaultOf(name: VariableName): string {
  return variableEntries.find(([one]) => one === name)?.[1].default ?? '';
}
