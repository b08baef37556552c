import { isInRanges } from '../lib/port-range.ts';
import type { Settings } from '../settings.ts';
import { checkDocuments } from '../webhooks/check-configuration.ts';
import { readKeysFile } from '../webhooks/files/keys-file.ts';
import { createOpener, ignoreSealed, type OpenDocument } from '../webhooks/sealing/open-document.ts';
import type { CheckedFile } from './check-config.ts';

/**
 * Checks webhook configuration files and returns the problems of each, in the order of the paths. Settings are
 * undefined if they have problems themselves. Then the checks that need settings are left out.
 */
export async function checkConfigurationFiles(
  paths: readonly string[],
  settings: Settings | undefined,
  signal: AbortSignal,
): Promise<readonly CheckedFile[]> {
  const open = await openerOf(settings, signal);
  return (await checkDocuments(paths, { isAllowedPort: portPolicy(settings), open, signal })).files;
}

/** Allows every port if the settings are invalid, because the allowed ports are unknown then. */
function portPolicy(settings: Settings | undefined): (port: number) => boolean {
  return (port) => settings === undefined || isInRanges(settings.egress.allowedPorts, port);
}

/** Ignores sealed parts if the settings are invalid, because the keys file is unknown then. */
async function openerOf(settings: Settings | undefined, signal: AbortSignal): Promise<OpenDocument> {
  if (settings === undefined) return ignoreSealed;
  const { keysFile, requireSealed } = settings.webhooks;
  return createOpener(keysFile === undefined ? undefined : await readKeysFile(keysFile, signal), requireSealed);
}
