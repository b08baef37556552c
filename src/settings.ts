import { readFiles, readTextFile, type ReadFile } from './settings/files.ts';
import { namedFiles, type Environment } from './settings/source.ts';
import { parseSettings, type LoadedSettings } from './settings/parse-settings.ts';

export type { Environment } from './settings/source.ts';
export type { LoadedSettings } from './settings/parse-settings.ts';
export { describeProblem, type Problem } from './settings/problem.ts';
export {
  givenKafkaCredentials,
  isInFiles,
  readKafkaCredentials,
  type KafkaCredentials,
} from './settings/kafka-credentials.ts';
export { readSecretFile, SecretFileError } from './settings/secret-file.ts';
export type { GivenSecret, KafkaSettings, SchemaRegistrySettings, Settings } from './settings/sections.ts';
export { tierTopic } from './settings/tier-topic.ts';

/** Reads the settings, and the files they name, once. What is wrong with them is a value, all of it at once. */
export async function loadSettings(
  environment: Environment = processEnvironment(),
  readFile: ReadFile = readTextFile,
): Promise<LoadedSettings> {
  return parseSettings(environment, await readFiles(namedFiles(environment), readFile));
}

/** The only place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}
