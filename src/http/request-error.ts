/**
 * The phase in which a request failed. Nothing of it was sent before `request`; no byte was received before `response`.
 *
 * - Direct: `lookup`, `connect`, `handshake`, `request`, `response`.
 * - With a proxy: `proxy`, `tunnel`, `handshake`, `request`, `response`.
 */
export type Phase = 'lookup' | 'connect' | 'proxy' | 'tunnel' | 'handshake' | 'request' | 'response';

/** Thrown when a request ends without a response head. The message names a code, never a host, a path or a header. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly phase: Phase;
  /** A code of the system, c-ares, OpenSSL or undici, or one of `OwnCode`. */
  readonly code: string;

  constructor(phase: Phase, cause: unknown) {
    const code = codeOf(cause);
    super(`${phase}: ${code}`, { cause });
    this.phase = phase;
    this.code = code;
  }
}

/** Thrown for an address or port that the egress policy refuses. The message names the rule and may be shown. */
export class BlockedError extends Error {
  override readonly name = 'BlockedError';
}

/** An error with a code of this service, where no library has a code. */
export class CodedError extends Error {
  override readonly name = 'CodedError';
  readonly code: OwnCode;

  constructor(code: OwnCode) {
    super(code);
    this.code = code;
  }
}

type OwnCode =
  | 'NO_STATUS_LINE'
  /** Bytes on a reused connection before the request was written. */
  | 'EARLY_RESPONSE'
  | 'SWITCHED_PROTOCOLS'
  | 'NUL_IN_HEAD'
  | 'LINE_WITHOUT_COLON'
  | 'BAD_CONTENT_LENGTH'
  | 'CONNECT_TIMEOUT'
  | 'CONNECTION_SPENT'
  | 'CONNECTION_GONE'
  | 'RENEGOTIATION_ASKED'
  | 'TOO_MANY_LOOKUPS'
  /** A name without an address, as c-ares says it. */
  | 'ENODATA'
  | 'CLOSED'
  | 'TOO_MANY_BYTES'
  | 'TOO_MANY_INTERIM_RESPONSES'
  | 'TOO_MANY_RECORDS'
  | 'PROXY_WANTS_CREDENTIALS'
  | 'PROXY_REFUSES_CREDENTIALS'
  | 'PROXY_CLOSED'
  | 'PROXY_SPEAKS_FIRST'
  /** The status with which the proxy refused a tunnel. */
  | `HTTP_${number}`;

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOfAll(error.errors.map(codeOf));
  if (!(error instanceof Error)) return 'UNKNOWN';
  // undici uses one code for a lost connection and for a response that it does not accept, such as 101.
  if (/^bad (response|upgrade)$/.test(error.message)) return 'BAD_RESPONSE';
  // Node has codes for the older half of OpenSSL's reasons to refuse a certificate. Their texts hold no names.
  if ('code' in error && error.code === 'UNSPECIFIED') return error.message;
  // Errors of undici's parser have no code.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/**
 * Chooses the code for several failed addresses. A family without a route from this machine says nothing about the
 * endpoint.
 */
function codeOfAll(codes: readonly string[]): string {
  return codes.find((code) => code !== 'ENETUNREACH' && code !== 'EADDRNOTAVAIL') ?? codes[0] ?? 'UNKNOWN';
}
