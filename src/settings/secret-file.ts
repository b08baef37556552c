import type { Secret } from '../lib/secret.ts';
import { readTextFile, type ReadFile } from './files.ts';
import { withoutNewline } from './source.ts';
import type { Kind } from './kinds/kind.ts';
import { fileNameOf, variables } from './variables.ts';

type SecretName =
  'KAFKA_SASL_PASSWORD' | 'KAFKA_OAUTH_CLIENT_SECRET' | 'SCHEMA_REGISTRY_PASSWORD' | 'DELIVERY_PROXY_URL';

/** Thrown if a changed file cannot be used. The content read before stays in use. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/** Reads a secret again, by the same rules as at start. Throws a `SecretFileError`, which does not contain it. */
export async function readSecretFile(
  name: SecretName,
  path: string,
  readFile: ReadFile = readTextFile,
): Promise<Secret> {
  const read: ReadFile = async (from) => withoutNewline(await readFile(from));
  return readFileAs(variables[name].kind, { variable: fileNameOf(name), path, readFile: read });
}

/** Parses a file as that kind. Throws a `SecretFileError`, which does not contain the file's content. */
export async function readFileAs<Value>(
  kind: Kind<Value>,
  { variable, path, readFile }: { readonly variable: string; readonly path: string; readonly readFile: ReadFile },
): Promise<Value> {
  const parsed = kind.parse(await contentOf(variable, path, readFile));
  if (parsed.kind === 'value') return parsed.value;
  throw new SecretFileError(`${variable} names a file that does not contain ${kind.expected}: ${path}`);
}

async function contentOf(variable: string, path: string, readFile: ReadFile): Promise<string> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new SecretFileError(`${variable} names a file that cannot be read: ${path}`, { cause });
  }
}
