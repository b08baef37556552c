import { z } from 'zod';
import type { HttpResponse } from '../../lib/http/http-request.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';

export type RegistryAnswer<Found> =
  | { readonly kind: 'found'; readonly found: Found }
  /** The registry has no such schema, or none yet. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly failure: RegistryFailure; readonly reason: string };

/** `refused` is a failed authentication. `unexpected` is a server error, or an answer that no registry would give. */
export const registryFailures = ['unreachable', 'refused', 'unexpected'] as const;
export type RegistryFailure = (typeof registryFailures)[number];

/** A schema with the names of its references. */
export type RegisteredSchema = z.infer<typeof registeredSchema>;

/** Some registries write null where others omit a field of an Avro schema. */
const registeredSchema = z.object({
  schema: z.string(),
  schemaType: z.string().nullish(),
  references: z
    .array(z.object({ name: z.string(), subject: z.string(), version: z.int() }))
    .nullish()
    .transform((references) => references ?? []),
});

/** The registry's error codes for an unknown schema id. */
export const noSuchId: ReadonlySet<unknown> = new Set([40_403]);
/** The registry's error codes for an unknown subject, and for an unknown version of a subject. */
export const noSuchVersion: ReadonlySet<unknown> = new Set([40_401, 40_402]);
const errorBody = z.object({ error_code: z.number() });

/** Interprets a response. A wrong path also leads to 404, so an unknown schema needs one of the codes in `notFound`. */
export function readAnswer(
  { status, body }: HttpResponse,
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
  return failed('unexpected', status === 404 ? wrongPath : `it answers ${status}`);
}

const wrongPath = 'it answers 404 and does not say that there is no such schema: the path may be wrong';

function failed(failure: RegistryFailure, reason: string): RegistryAnswer<never> {
  return { kind: 'failed', failure, reason };
}
