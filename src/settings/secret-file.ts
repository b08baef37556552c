import type { Secret } from '../lib/secret.ts';
import { readTextFile, type ReadFile } from './files.ts';
import { withoutNewline } from './given.ts';
import { fileNameOf, variables } from './variables.ts';

export type SecretName = 'KAFKA_SASL_PASSWORD' | 'SCHEMA_REGISTRY_PASSWORD' | 'DELIVERY_PROXY_URL';

/** A secret's file that changed can't be used; the secret that was read before still stands. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/** Reads a secret again, by the rules it was read by at start. Throws a `SecretFileError`, which tells nothing of it. */
export async function readSecretFile(
  name: SecretName,
  path: string,
  readFile: ReadFile = readTextFile,
): Promise<Secret> {
  const { kind } = variables[name];
  const parsed = kind.parse(withoutNewline(await contentOf(name, path, readFile)));
  if (parsed.kind === 'value') return parsed.value;
  throw new SecretFileError(`${fileNameOf(name)} names a file that does not hold ${kind.expected}: ${path}`);
}

async function contentOf(name: SecretName, path: string, readFile: ReadFile): Promise<string> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new SecretFileError(`${fileNameOf(name)} names a file that can't be read: ${path}`, { cause });
  }
}
