import { describeProblem, loadSettings, processEnvironment, type Environment, type Settings } from '../settings.ts';
import { KeysFileError } from '../webhooks/files/file-errors.ts';
import type { KeySet } from '../webhooks/sealing/key-set.ts';
import { ReaderGoneError, type Terminal } from './terminal/terminal.ts';

/** 1 if a command failed, 2 for a wrong argument, setting or file, 3 if what was asked for is not there. */
export type ExitCode = 0 | 1 | 2 | 3;

interface SettingsNeeds {
  /** False for commands that never connect to Kafka. `KAFKA_BROKERS` is not required then. */
  readonly needsKafka?: boolean;
}

/** Runs with the settings of the environment. If they have problems, prints all of them and returns exit code 2. */
export async function withSettings<Code>(
  err: (line: string) => void,
  run: (settings: Settings, warnings: readonly string[]) => Promise<Code>,
  { needsKafka = true }: SettingsNeeds = {},
): Promise<Code | 2> {
  const environment = processEnvironment();
  const loaded = await loadSettings(needsKafka ? environment : withBrokers(environment));
  if (loaded.kind === 'ok') return run(loaded.settings, loaded.warnings);
  for (const warning of loaded.warnings) err(`warning: ${warning}`);
  return refuse(err, loaded.problems.map(describeProblem)) ?? 2;
}

function withBrokers(environment: Environment): Environment {
  const brokers = environment['KAFKA_BROKERS']?.trim() ?? '';
  return { ...environment, KAFKA_BROKERS: brokers === '' ? 'not-asked:9092' : brokers };
}

/** Runs with the settings, and the keys of `WEBHOOK_KEYS_FILE` if it is set. Returns exit code 2 if it is unusable. */
export async function withKeys(
  { err, signal }: Pick<Terminal, 'err' | 'signal'>,
  run: (settings: Settings, keys: KeySet | undefined) => Promise<ExitCode>,
  needs: SettingsNeeds,
): Promise<ExitCode> {
  const readKeys = async (file: string): Promise<KeySet | 'unusable'> => {
    const { readKeysFile } = await import('../webhooks/files/keys-file.ts');
    try {
      return await readKeysFile(file, signal);
    } catch (error) {
      if (!(error instanceof KeysFileError)) throw error;
      err(`error: ${error.message}`);
      return 'unusable';
    }
  };
  const runWithKeys = async (settings: Settings): Promise<ExitCode> => {
    const { keys: { file } = {} } = settings.webhooks;
    const keys = file === undefined ? undefined : await readKeys(file);
    return keys === 'unusable' ? 2 : run(settings, keys);
  };
  return withSettings(err, runWithKeys, needs);
}

/** Prints problems and returns exit code 2. Returns undefined without any. */
export function refuse(err: (line: string) => void, problems: readonly string[]): 2 | undefined {
  for (const problem of problems) err(`error: ${problem}`);
  return problems.length === 0 ? undefined : 2;
}

/** Says that a signal ended the command, unless nobody reads its output. Returns exit code 1. */
export function stopped({ err, signal }: Pick<Terminal, 'err' | 'signal'>): 1 {
  if (!(signal.reason instanceof ReaderGoneError)) err('stopped before the end');
  return 1;
}
