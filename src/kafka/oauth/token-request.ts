import { post, type HttpResponse } from '../../lib/http/http-request.ts';
import { Secret } from '../../lib/secret.ts';
import { z } from 'zod';
import { parseStrictJson } from '../../lib/strict-json.ts';

export interface TokenRequest {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Scopes separated by spaces. */
  readonly scope: string | undefined;
  /** PEM certificates, in addition to those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
  /** The wall time in ms. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Limit in ms of a request. kafkajs lets others wait 20 s for a connection that authenticates. */
const timeoutMs = 10_000;
/** A token has up to a few KiB. Kafka accepts 512 KiB, but no identity provider issues those. */
const maxBodyBytes = 64 * 1024;

/** Asks for a token with the grant `client_credentials` (RFC 6749, section 4.4). Never rejects. */
export async function requestToken(request: TokenRequest): Promise<TokenAnswer> {
  const { url, scope, certificateAuthorities, nowMs, signal } = request;
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) });
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: authorization(request),
  };
  try {
    const options = { headers, body: body.toString(), maxBodyBytes, certificateAuthorities, timeoutMs, signal };
    return readTokenAnswer(await post(new URL(url), options), nowMs);
  } catch (error) {
    return { kind: 'failed', reason: `cannot be reached: ${reasonOf(error)}` };
  }
}

/** Encodes both parts as form values before they are joined (RFC 6749, section 2.3.1). */
function authorization({ clientId, clientSecret }: TokenRequest): string {
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret.reveal())}`;
  return `Basic ${Buffer.from(pair, 'ascii').toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Returns the reason of a failed request. An `AggregateError` has one error for each IP address that was tried. */
function reasonOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  if (!(first instanceof Error)) return 'no answer';
  return isTimeout(first) ? `no answer in ${timeoutMs / 1_000} s` : withCode(first);
}

/** Node wraps the error of the signal. */
function isTimeout({ name, cause }: Error): boolean {
  return name === 'TimeoutError' || (cause instanceof Error && cause.name === 'TimeoutError');
}

function withCode(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message.includes(code) ? error.message : `${error.message} (${code})`;
}

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
