import type { Secret } from '../lib/secret.ts';
import { readSecretFile, SecretFileError, type SecretSetting } from '../settings.ts';

/** Of a secret in a file, what the file holds now, or what it held last. All who ask while it is read share the answer. */
export function freshSecret(name: Parameters<typeof readSecretFile>[0], given: SecretSetting): () => Promise<Secret> {
  const { file } = given;
  let last = given.value;
  let reading: Promise<Secret> | undefined;
  if (file === undefined) return () => Promise.resolve(last);
  const read = async (): Promise<Secret> => {
    try {
      last = await readSecretFile(name, file);
    } catch (error) {
      // Should the one from before no longer do, we are refused, and that is told.
      if (!(error instanceof SecretFileError)) throw error;
    }
    return last;
  };
  return () => (reading ??= read().finally(() => (reading = undefined)));
}
