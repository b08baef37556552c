import { configurationRules, type Settings } from '../settings.ts';
import { checkDocuments } from '../webhooks/check-configuration.ts';
import { KeysFileError } from '../webhooks/files/file-errors.ts';
import { readKeysFile } from '../webhooks/files/keys-file.ts';
import { createOpener, ignoreSealed, type OpenDocument } from '../webhooks/sealing/open-document.ts';
import type { FileProblems } from './check-config.ts';

export async function checkConfigurationFiles(
  paths: readonly string[],
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<readonly FileProblems[]> {
  const { open, unusable } = await openerOf(settings, signal);
  const { files } = await checkDocuments(paths, { rules: configurationRules(settings), open, signal });
  // The service refuses what it has no private key for, so a note of the check is a problem here.
  return [...unusable, ...files.map(({ path, problems, notes }) => ({ path, problems: [...problems, ...notes] }))];
}

interface Opener {
  readonly open: OpenDocument;
  /** The keys file, if it can't be used. */
  readonly unusable: readonly FileProblems[];
}

/** Ignores sealed parts if the settings or the keys file are invalid, because the keys are unknown then. */
async function openerOf(settings: Settings | undefined, signal: AbortSignal): Promise<Opener> {
  if (settings === undefined) return { open: ignoreSealed, unusable: [] };
  const { keys, requireSealed } = settings.webhooks;
  const keysFile = keys?.file;
  if (keysFile === undefined) return { open: createOpener(undefined, requireSealed), unusable: [] };
  try {
    return { open: createOpener(await readKeysFile(keysFile, signal), requireSealed), unusable: [] };
  } catch (error) {
    if (!(error instanceof KeysFileError)) throw error;
    return { open: ignoreSealed, unusable: [{ path: keysFile, problems: error.problems }] };
  }
}
