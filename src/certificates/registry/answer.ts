import { z } from 'zod';
import { parseStrictJson } from '../../lib/strict-json.ts';

/** What a registry says to a question about one schema. */
export type RegistryAnswer<Found> =
  | { readonly kind: 'found'; readonly found: Found }
  /** It has no such schema, or none yet. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly failure: RegistryFailure; readonly reason: string };

/** `refused`: it does not let us in; `unexpected`: what answers does not talk like a registry, or has trouble itself. */
export const registryFailures = ['unreachable', 'refused', 'unexpected'] as const;
export type RegistryFailure = (typeof registryFailures)[number];

export interface RegistryResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** A schema that names what it refers to. */
export type RegisteredSchema = z.infer<typeof registeredSchema>;

/** What registries leave out for Avro they write as null at times. */
const registeredSchema = z.object({
  schema: z.string(),
  schemaType: z.string().nullish(),
  references: z
    .array(z.object({ name: z.string(), subject: z.string(), version: z.number() }))
    .nullish()
    .transform((references) => references ?? []),
});

/** In the registry's own words: there is no schema of that id. */
export const noSuchId: ReadonlySet<unknown> = new Set([40_403]);
/** There is no such subject, or no such version of it. */
export const noSuchVersion: ReadonlySet<unknown> = new Set([40_401, 40_402]);
const errorBody = z.object({ error_code: z.number() });

/** A path that leads past the registry is answered 404 as well, so the status alone says nothing of a schema. */
export function readAnswer(
  { status, body }: RegistryResponse,
  notFound: ReadonlySet<unknown>,
): RegistryAnswer<RegisteredSchema> {
  const json = parseStrictJson(body);
  const document = json.kind === 'json' ? json.value : undefined;
  if (status === 200) {
    const { data } = registeredSchema.safeParse(document);
    return data === undefined ? failed('unexpected', 'its answer holds no schema') : { kind: 'found', found: data };
  }
  if (status === 401 || status === 403) return failed('refused', `it answers ${status}`);
  const code = errorBody.safeParse(document).data?.error_code;
  if (status === 404 && notFound.has(code)) return { kind: 'unknown' };
  return failed('unexpected', status === 404 ? notOurs : `it answers ${status}`);
}

const notOurs = 'it answers 404 and does not say that there is no such schema: the path may be wrong';

function failed(failure: RegistryFailure, reason: string): RegistryAnswer<never> {
  return { kind: 'failed', failure, reason };
}
