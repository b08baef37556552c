import { readFiles, readTextFile, type ReadFile } from './settings/files.ts';
import { parseSettings, type LoadedSettings } from './settings/parse-settings.ts';
import { namedFiles, type Environment } from './settings/source.ts';

export type { Environment } from './settings/source.ts';
export type { LoadedSettings } from './settings/parse-settings.ts';
export { describeProblem, type Problem } from './settings/problem.ts';
export {
  hasCredentialFiles,
  initialKafkaCredentials,
  readKafkaCredentials,
  type KafkaCredentials,
} from './settings/kafka-credentials.ts';
export { readSecretFile, SecretFileError } from './settings/secret-file.ts';
export type { HostAndPort } from './settings/kinds/network-kinds.ts';
export type {
  KafkaSettings,
  OAuthSettings,
  SchemaRegistrySettings,
  SecretSetting,
  Settings,
} from './settings/sections.ts';
export { tierTopic } from './settings/tier-topic.ts';

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
