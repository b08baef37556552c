/**
 * How far a request had come when it failed: nothing of it went out before `request`, no byte came back before `response`.
 * `lookup` and `connect` are about the endpoint; with a proxy it is the way to the `proxy`, and then the `tunnel` that it
 * is asked for.
 */
export type Phase = 'lookup' | 'connect' | 'proxy' | 'tunnel' | 'handshake' | 'request' | 'response';

/** A request that brought no response head. Its message names a code, never a host, a path or a header. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly phase: Phase;
  /** Of the system, of c-ares, OpenSSL or undici, or one of ours. */
  readonly code: string;

  constructor(phase: Phase, cause: unknown) {
    const code = codeOf(cause);
    super(`${phase}: ${code}`, { cause });
    this.phase = phase;
    this.code = code;
  }
}

/** An address or port outside the egress policy. Its message says which rule, in words that may be shown. */
export class BlockedError extends Error {
  override readonly name = 'BlockedError';
}

/** An error with a code of our own, for what no library has one. */
export class CodedError extends Error {
  override readonly name = 'CodedError';
  readonly code: OwnCode;

  constructor(code: OwnCode) {
    super(code);
    this.code = code;
  }
}

type OwnCode =
  | 'CONNECT_TIMEOUT'
  | 'CONNECTION_SPENT'
  | 'CONNECTION_GONE'
  | 'TOO_MANY_LOOKUPS'
  | 'CLOSED'
  | 'PROXY_WANTS_CREDENTIALS'
  | 'PROXY_REFUSES_CREDENTIALS'
  | 'PROXY_SPEAKS_FIRST'
  /** What the proxy answered in place of a tunnel. */
  | `HTTP_${number}`;

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOfAll(error.errors.map(codeOf));
  if (!(error instanceof Error)) return 'UNKNOWN';
  // undici has one code for a connection that is lost and for a response that it does not take, 101 for one.
  if (/^bad (response|upgrade)$/.test(error.message)) return 'BAD_RESPONSE';
  // Its parser has errors without a code.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Of several addresses tried in vain: a family that this machine has no route for says nothing about the endpoint. */
function codeOfAll(codes: readonly string[]): string {
  return codes.find((code) => code !== 'ENETUNREACH' && code !== 'EADDRNOTAVAIL') ?? codes[0] ?? 'UNKNOWN';
}
