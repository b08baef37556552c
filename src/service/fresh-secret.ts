import type { Secret } from '../lib/secret.ts';
import { readAgain, SecretFileError, type SecretSetting } from '../settings.ts';

/**
 * Returns a function that reads the secret from its file again, or returns the last one if the file is unusable. Calls
 * during a read share its result. A secret without a file never changes.
 */
export function freshSecret(setting: SecretSetting): () => Promise<Secret> {
  let last = setting.value;
  let reading: Promise<Secret> | undefined;
  if (setting.file === undefined) return () => Promise.resolve(last);
  const read = async (): Promise<Secret> => {
    try {
      last = await readAgain(setting);
    } catch (error) {
      // If the last secret is no longer valid, the server refuses it, and that failure is reported.
      if (!(error instanceof SecretFileError)) throw error;
    }
    return last;
  };
  return () => (reading ??= read().finally(() => (reading = undefined)));
}
