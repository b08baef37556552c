import { parseSettings } from '../../../src/settings/parse-settings.ts';
import type { Settings } from '../../../src/settings.ts';

/** All default ones, with a broker that is never called. */
export function defaultSettings(): Settings {
  const parsed = parseSettings({ KAFKA_BROKERS: 'none:9092' }, new Map());
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed.settings;
}
