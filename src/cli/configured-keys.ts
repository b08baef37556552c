import type { Settings } from '../settings.ts';
import { KeysFileError } from '../webhooks/files/file-errors.ts';
import { readKeysFile } from '../webhooks/files/keys-file.ts';
import type { KeySet } from '../webhooks/sealing/key-set.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Reads `WEBHOOK_KEYS_FILE`. Undefined if it is not set. Prints the problem of an unusable file. */
export async function readConfiguredKeys(
  { webhooks: { keys } }: Pick<Settings, 'webhooks'>,
  { err, signal }: Pick<Terminal, 'err' | 'signal'>,
): Promise<KeySet | undefined | 'unusable'> {
  if (keys?.file === undefined) return undefined;
  try {
    return await readKeysFile(keys.file, signal);
  } catch (error) {
    if (!(error instanceof KeysFileError)) throw error;
    err(`error: ${error.message}`);
    return 'unusable';
  }
}
