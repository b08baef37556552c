import { describeProblem, loadSettings, processEnvironment, type Environment, type Settings } from '../settings.ts';

/** 1 if a command failed, 2 for a wrong argument, setting or file. */
export type ExitCode = 0 | 1 | 2;

/** Fills in `KAFKA_BROKERS`, which the settings require, for commands that never connect to Kafka. */
export function withoutKafka(environment: Environment): Environment {
  const brokers = environment['KAFKA_BROKERS']?.trim() ?? '';
  return { ...environment, KAFKA_BROKERS: brokers === '' ? 'not-asked:9092' : brokers };
}

/** Runs with the settings of the environment. If they have problems, prints all of them and returns exit code 2. */
export async function withSettings<Code>(
  err: (line: string) => void,
  run: (settings: Settings, warnings: readonly string[]) => Promise<Code>,
  environment: Environment = processEnvironment(),
): Promise<Code | 2> {
  const loaded = await loadSettings(environment);
  if (loaded.kind === 'ok') return run(loaded.settings, loaded.warnings);
  for (const warning of loaded.warnings) err(`warning: ${warning}`);
  for (const problem of loaded.problems) err(`error: ${describeProblem(problem)}`);
  return 2;
}
