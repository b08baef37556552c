import { isInRanges } from './lib/port-range.ts';
import { namedFiles, type Environment } from './settings/environment.ts';
import { readFiles, readTextFile, type ReadFile } from './settings/files.ts';
import { parseSettings, type LoadedSettings, type Settings } from './settings/parse-settings.ts';
import type { ConfigurationRules } from './webhooks/configuration-schema.ts';

export type { EffectiveGroup, Environment } from './settings/environment.ts';
export { freshSecret, SecretFileError } from './settings/files.ts';
export {
  hasCredentialFiles,
  initialKafkaCredentials,
  readKafkaCredentials,
  type KafkaCredentials,
} from './settings/kafka-credentials.ts';
export type { HostAndPort } from './settings/kinds/network-kinds.ts';
export type { KafkaSettings, LoadedSettings, SchemaRegistrySettings, Settings } from './settings/parse-settings.ts';
export { describeProblem, type Problem } from './settings/parse-variables.ts';
export { tierTopic } from './settings/rules.ts';
export type { SecretSetting } from './settings/variable.ts';

/** Reads the settings and the files that they name, once. Returns all problems at once, as a value. */
export async function loadSettings(
  environment: Environment = processEnvironment(),
  readFile: ReadFile = readTextFile,
): Promise<LoadedSettings> {
  return parseSettings(environment, await readFiles(namedFiles(environment), readFile));
}

/** Returns the environment of the process. No other code reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Returns the rules for webhook configurations that depend on the settings. Everything is allowed while these are invalid. */
export function configurationRules(settings: Pick<Settings, 'egress' | 'delivery'> | undefined): ConfigurationRules {
  if (settings === undefined) return { isAllowedPort: () => true, mostInFlight: Number.MAX_SAFE_INTEGER };
  const { egress, delivery } = settings;
  return {
    isAllowedPort: (port) => isInRanges(egress.allowedPorts, port),
    mostInFlight: delivery.maxInFlightPerEndpoint,
  };
}
