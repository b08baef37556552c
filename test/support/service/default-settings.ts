import { parseSettings } from '../../../src/settings/parse-settings.ts';
import type { Settings } from '../../../src/settings.ts';

/** Returns the default settings, with a broker that does not exist. */
export function defaultSettings(): Settings {
  const parsed = parseSettings({ KAFKA_BROKERS: 'none:9092' }, new Map());
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.settings;
}
