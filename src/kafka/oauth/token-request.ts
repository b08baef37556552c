import { post } from '../../lib/http/http-request.ts';
import type { Secret } from '../../lib/secret.ts';
import { readTokenAnswer, type TokenAnswer } from './token-answer.ts';

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
