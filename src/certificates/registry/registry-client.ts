import { get } from '../../lib/http/http-request.ts';
import type { Secret } from '../../lib/secret.ts';
import type { SchemaDocument } from '../framing.ts';
import { maxReferences, maxSchemaCharacters, tooLong, tooManyReferences } from '../formats/compile.ts';
import { noSuchId, noSuchVersion, readAnswer, type RegisteredSchema, type RegistryAnswer } from './answer.ts';

interface RegistryClientOptions {
  /** Addresses of one registry, without a slash at the end. The first that answers is used. */
  readonly urls: readonly string[];
  /** Called before each request, because the password may change. */
  readonly credentials: () => Promise<RegistryCredentials | undefined>;
  /** PEM certificates, in addition to those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

export interface RegistryCredentials {
  readonly username: string;
  readonly password: Secret;
}

/** A registry that has just started needs seconds for its first answer. */
const timeoutMs = 10_000;

/** Finds a schema by id, with all its references if it is needed to read a value. */
export type FindSchema = (id: number, signal: AbortSignal) => Promise<RegistryAnswer<SchemaDocument>>;

/** Creates a client for registries with Confluent's API. Its function never rejects. */
export function createRegistryClient(options: RegistryClientOptions): FindSchema {
  // The address that answered last is asked first.
  let urls = options.urls;
  const ask = async (query: RegistryQuery, signal: AbortSignal): Promise<RegistryAnswer<RegisteredSchema>> => {
    let answer: RegistryAnswer<RegisteredSchema> = { kind: 'unknown' };
    for (const url of urls) {
      answer = await askOne(url, query, { ...options, signal });
      if (answer.kind === 'failed') continue;
      urls = [url, ...urls.filter((other) => other !== url)];
      break;
    }
    return answer;
  };
  return async (id, signal) => {
    const answer = await ask({ path: `/schemas/ids/${id}`, notFound: noSuchId }, signal);
    if (answer.kind !== 'found') return answer;
    const { schema: text, schemaType, references } = answer.found;
    const type = schemaType ?? 'AVRO';
    // JSON is read without its schema, so only its type had to be found out.
    if (type === 'JSON') return { kind: 'found', found: { type, text, references: [] } };
    const collected = await collectReferences(references, async ({ subject, version }) => {
      const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`;
      return ask({ path, notFound: noSuchVersion }, signal);
    });
    if (collected.kind !== 'found') return collected;
    return { kind: 'found', found: { type, text, ...collected.found } };
  };
}

interface RegistryQuery {
  readonly path: string;
  /** The error codes that mean that there is no such schema. */
  readonly notFound: ReadonlySet<unknown>;
}

async function askOne(
  url: string,
  { path, notFound }: RegistryQuery,
  { credentials, certificateAuthorities, signal }: RegistryClientOptions & { readonly signal: AbortSignal },
): Promise<RegistryAnswer<RegisteredSchema>> {
  try {
    const headers = { accept: 'application/json', ...authorization(await credentials()) };
    const response = await get(new URL(`${url}${path}`), { headers, certificateAuthorities, timeoutMs, signal });
    return readAnswer(response, notFound);
  } catch (error) {
    return { kind: 'failed', failure: 'unreachable', reason: reasonOf(error) };
  }
}

function authorization(credentials: RegistryCredentials | undefined): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  const { username, password } = credentials;
  return { authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}` };
}

/** Returns the reason of a failed request. An `AggregateError` has one error for each IP address that was tried. */
function reasonOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : 'no answer';
}

type Reference = RegisteredSchema['references'][number];
type Ask = (reference: Reference) => Promise<RegistryAnswer<RegisteredSchema>>;

type Collected = Pick<SchemaDocument, 'references' | 'excess'>;

/**
 * Collects all references of a schema, direct and indirect, each once. A reference comes after its own references. Stops at
 * the first that is not available, and where they are more than one schema may ask for.
 */
async function collectReferences(references: readonly Reference[], ask: Ask): Promise<RegistryAnswer<Collected>> {
  const found: SchemaDocument['references'][number][] = [];
  const seen = new Set<string>();
  let characters = 0;
  let excess: string | undefined;
  const collect = async (wanted: readonly Reference[]): Promise<RegistryAnswer<undefined>> => {
    for (const reference of wanted) {
      const key = JSON.stringify(reference);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > maxReferences) excess ??= tooManyReferences;
      if (characters > maxSchemaCharacters) excess ??= tooLong;
      if (excess !== undefined) break;
      const answer = await ask(reference);
      if (answer.kind !== 'found') return answer;
      characters += answer.found.schema.length;
      const inner = await collect(answer.found.references);
      if (inner.kind !== 'found') return inner;
      found.push({ name: reference.name, text: answer.found.schema });
    }
    return { kind: 'found', found: undefined };
  };
  const collected = await collect(references);
  if (collected.kind !== 'found') return collected;
  return { kind: 'found', found: excess === undefined ? { references: found } : { references: [], excess } };
}
