import { parseSettings } from '../../../src/settings/parse-settings.ts';
import type { Environment, Settings } from '../../../src/settings.ts';

/** Returns the default settings, with a broker that does not exist and with these variables. */
export function defaultSettings(environment: Environment = {}): Settings {
  const parsed = parseSettings({ KAFKA_BROKERS: 'none:9092', ...environment }, new Map());
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.settings;
}
