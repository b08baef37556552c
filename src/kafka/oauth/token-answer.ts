import { z } from 'zod';
import type { HttpResponse } from '../../lib/http/http-request.ts';
import { Secret } from '../../lib/secret.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';

export type TokenAnswer =
  | { readonly kind: 'token'; readonly value: Secret; readonly lifeMs: number }
  /** A predicate of the endpoint, such as "answers 401 invalid_client". Holds no secret. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Life in ms of a token that does not tell its end. A shorter one would cost requests, a longer one may have ended. */
const assumedLifeMs = 60_000;
/** Longest life in ms that is believed. A later end is no use, and times beyond the range of a date are no times. */
const longestLifeMs = 30 * 24 * 3_600_000;

/** Some identity providers write numbers as text. */
const seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,10}$/v)
    .transform(Number),
]);

/** The fields of RFC 6749, section 5.1. */
const tokenBody = z.object({
  // The only characters that Kafka accepts in a token (RFC 6750, section 2.1).
  access_token: z.string().regex(/^[\-A-Za-z0-9._~+\/]+=*$/v),
  token_type: z
    .string()
    .regex(/^bearer$/iv)
    .nullish(),
  expires_in: seconds.nullish(),
});

/** The error codes of RFC 6749, section 5.2, and others of that form. Anything else could hold a secret. */
const errorBody = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/v) });

const tokenClaims = z.object({ exp: z.number() });

/** Interprets a response. `nowMs` is the wall time, which the end in a token is compared with. */
export function readTokenAnswer({ status, body }: HttpResponse, nowMs: number): TokenAnswer {
  const json = parseStrictJson(body);
  const document = json.kind === 'json' ? json.value : undefined;
  if (status !== 200) {
    const code = errorBody.safeParse(document).data?.error;
    return failed(code === undefined ? `answers ${status}` : `answers ${status} ${code}`);
  }
  if (json.kind === 'other') return failed(`answers with a body that ${json.problem}`);
  const { data } = tokenBody.safeParse(document);
  if (data === undefined) return failed('answers without a bearer token');
  const lifeMs = Math.min(lifeOf(data.access_token, data.expires_in ?? undefined, nowMs), longestLifeMs);
  if (lifeMs <= 0) return failed('answers with a token that has expired: compare the clocks');
  return { kind: 'token', value: new Secret(data.access_token), lifeMs };
}

function lifeOf(token: string, expiresInSeconds: number | undefined, nowMs: number): number {
  if (expiresInSeconds !== undefined) return expiresInSeconds * 1_000;
  const expiresAtSeconds = claimedEnd(token);
  return expiresAtSeconds === undefined ? assumedLifeMs : expiresAtSeconds * 1_000 - nowMs;
}

/** Returns the claim `exp` of a JWT. Undefined for any other token. */
function claimedEnd(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  const json = parseStrictJson(Buffer.from(payload, 'base64url'));
  return json.kind === 'json' ? tokenClaims.safeParse(json.value).data?.exp : undefined;
}

function failed(reason: string): TokenAnswer {
  return { kind: 'failed', reason };
}
