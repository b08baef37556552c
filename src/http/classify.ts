import type { NoResponse, RequestOutcome } from '../deliveries/outcome.ts';
import { BlockedError, RequestError, type Phase } from './request-error.ts';

/** Returns the outcome of a request that ended without a response head. */
export function classify(error: unknown): RequestOutcome {
  if (error instanceof BlockedError) return { kind: 'blocked', message: error.message };
  if (!(error instanceof RequestError)) return { kind: 'local_error', message: 'the request failed in our own code' };
  const { phase, code } = error;
  const [, kind, message] = rows[phase].find(([codes]) => codes.test(code)) ?? unexpected;
  const outcome = { kind, message: message.replace('CODE', code.slice(0, 64)) };
  return exceeded.test(code) && kind !== 'local_error' ? { ...outcome, hasExceeded: true } : outcome;
}

/** The codes of connections that were cut because the endpoint sent more than it may. */
const exceeded = /^TOO_MANY_(BYTES|INTERIM_RESPONSES|RECORDS)$/;

/**
 * Codes with their outcome and its message, where `CODE` stands for the code. The first row of a phase that fits
 * decides.
 */
type Row = readonly [codes: RegExp, kind: NoResponse | 'blocked' | 'local_error', message: string];

/** The row for unknown codes. Counts as local, because the fault is probably ours. */
const unexpected: Row = [/./, 'local_error', 'the request could not be made (CODE)'];

const localFailures: readonly Row[] = [
  [/^E[MN]FILE$/, 'local_error', 'this process has no file descriptor left'],
  [/^EADDRNOTAVAIL$/, 'local_error', 'no local port or address is left'],
  [/^(ENOBUFS|ENOMEM)$/, 'local_error', 'our system has no memory for sockets'],
  [/^(ENETDOWN|EPERM|EACCES)$/, 'local_error', 'our system makes no connection (CODE)'],
];

const lookup: readonly Row[] = [
  [/^(ECONNREFUSED|EFILE|ENOTINITIALIZED|EDESTRUCTION|ECANCELLED)$/, 'local_error', 'our name server is not there'],
  [/^TOO_MANY_LOOKUPS$/, 'local_error', 'too many name lookups are in flight'],
  [/^CONNECT_TIMEOUT$/, 'timeout', 'the host name was not resolved in time'],
  [/^ETIMEOUT$/, 'dns_error', 'no name server answered in time'],
  [/^ENOTFOUND$/, 'dns_error', 'the host name does not exist'],
  [/^ENODATA$/, 'dns_error', 'the host name has no address'],
  [/./, 'dns_error', 'the host name could not be resolved (CODE)'],
];

const connect: readonly Row[] = [
  [/^(CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout', 'the connection was not accepted in time'],
  [/^ECONNREFUSED$/, 'connect_error', 'the connection was refused'],
  [/^E(NET|HOST)UNREACH$/, 'connect_error', 'the host is unreachable'],
  [/./, 'connect_error', 'no connection came about (CODE)'],
];

/** Failures on the way to the proxy are local, because the endpoint has no part in them. */
const proxy: readonly Row[] = [
  [/^CONNECT_TIMEOUT$/, 'local_error', 'the proxy was not reached in time'],
  [/^(ENOTFOUND|ENODATA|EAI_AGAIN)$/, 'local_error', 'the name of the proxy could not be resolved (CODE)'],
  [/./, 'local_error', 'the proxy could not be reached (CODE)'],
];

const unusableHead =
  /^(NO_STATUS_LINE|SWITCHED_PROTOCOLS|NUL_IN_HEAD|LINE_WITHOUT_COLON|BAD_CONTENT_LENGTH|TOO_MANY_BYTES|PROXY_SPEAKS_FIRST)$/;

/** A proxy that accepts the connection and opens no tunnel reports mostly about the endpoint. */
const tunnel: readonly Row[] = [
  [/^(CONNECT_TIMEOUT|HTTP_504)$/, 'timeout', 'the proxy did not reach the endpoint in time'],
  [/^HTTP_50[023]$/, 'connect_error', 'the proxy could not reach the endpoint (CODE)'],
  [/^HTTP_(403|407|451)$/, 'blocked', 'the proxy refuses this endpoint (CODE)'],
  [/^PROXY_WANTS_CREDENTIALS$/, 'local_error', 'the proxy asks for a user name and a password'],
  [/^PROXY_REFUSES_CREDENTIALS$/, 'local_error', 'the proxy refuses our user name and password'],
  [unusableHead, 'local_error', 'what the proxy answers is not HTTP/1.1'],
  [
    /^(PROXY_CLOSED|ECONNRESET|EPIPE|ECONNABORTED)$/,
    'local_error',
    'the proxy closed the connection without an answer',
  ],
  [/./, 'local_error', 'the proxy opens no tunnel (CODE)'],
];

const certificate: readonly Row[] = [
  [/^CERT_HAS_EXPIRED$/, 'tls_error', 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'tls_error', 'the certificate is not valid yet'],
  [/^CERT_REVOKED$/, 'tls_error', 'the certificate is revoked'],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'tls_error', 'the certificate is for another host'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'tls_error', 'the certificate is self-signed'],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|CERT_UNTRUSTED)$/,
    'tls_error',
    'the certificate is from an unknown issuer',
  ],
  [
    /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT_LOCALLY)$/,
    'tls_error',
    'the certificate is from an unknown issuer, or an intermediate certificate is missing',
  ],
];

/** The least sizes of keys, and the signatures, of OpenSSL's security level 2. */
const weakness: readonly Row[] = [
  [/key too weak/, 'tls_error', 'the key of the certificate is too small: RSA needs 2,048 bits, ECDSA 224'],
  [/md too weak/, 'tls_error', 'the certificate is signed with a weak hash, such as SHA-1'],
];

const handshake: readonly Row[] = [
  [/^(CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout', 'TLS was not established in time'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'connect_error', 'the connection was closed during the TLS handshake'],
  [/^CONNECTION_GONE$/, 'connect_error', 'the connection was closed right after the TLS handshake'],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, 'tls_error', 'the endpoint does not offer TLS 1.2 or higher'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/, 'tls_error', 'what answers on this port is not TLS'],
  [
    /ALERT_HANDSHAKE_FAILURE/,
    'tls_error',
    'the endpoint offers none of our cipher suites and groups, or asks for a client certificate (CODE)',
  ],
  [/NO_APPLICATION_PROTOCOL/, 'tls_error', 'the endpoint does not offer HTTP/1.1'],
  [/^TOO_MANY_BYTES$/, 'tls_error', 'the endpoint sent more than 32 KiB in the TLS handshake'],
  [/./, 'tls_error', 'the TLS handshake failed (CODE)'],
];

const response: readonly Row[] = [
  // In TLS 1.3 this alert arrives after the handshake.
  [/CERTIFICATE_REQUIRED/, 'tls_error', 'the endpoint asks for a client certificate'],
  [
    /^RENEGOTIATION_ASKED$/,
    'tls_error',
    'the endpoint asks for a second TLS handshake, mostly to see a client certificate',
  ],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO)/, 'tls_error', 'TLS failed (CODE)'],
  [/^NO_STATUS_LINE$/, 'protocol_error', 'the response does not begin with a status line of HTTP/1.1'],
  [/^EARLY_RESPONSE$/, 'protocol_error', 'bytes came on a reused connection before the request was written'],
  [/^SWITCHED_PROTOCOLS$/, 'protocol_error', 'the endpoint switched to another protocol (status 101)'],
  [/^NUL_IN_HEAD$/, 'protocol_error', 'the response head holds a zero byte'],
  [/^LINE_WITHOUT_COLON$/, 'protocol_error', 'a line of the response head has no colon'],
  [/^BAD_CONTENT_LENGTH$/, 'protocol_error', 'the Content-Length of the response is no number'],
  [/^TOO_MANY_BYTES$/, 'protocol_error', 'the endpoint sent more than 64 KiB before the end of the response head'],
  [/^TOO_MANY_INTERIM_RESPONSES$/, 'protocol_error', 'the endpoint sent more than 16 interim responses'],
  [/^TOO_MANY_RECORDS$/, 'protocol_error', 'the endpoint sent too many TLS records for one response'],
  // Assertions of undici in this phase are about the bytes of the response, such as a status below 100.
  [/^(HPE_|HTTPParserError|BAD_RESPONSE|UND_ERR_RES_|ERR_ASSERTION)/, 'protocol_error', 'the response is not HTTP/1.1'],
];

const lost = /^(UND_ERR_SOCKET|CONNECTION_SPENT|ECONNRESET|EPIPE|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

const rows: Readonly<Record<Phase, readonly Row[]>> = {
  lookup: [...localFailures, ...lookup],
  connect: [...localFailures, ...connect],
  proxy: [...localFailures, ...proxy],
  tunnel: [...localFailures, ...tunnel],
  handshake: [...localFailures, ...certificate, ...weakness, ...handshake],
  request: [...response, [lost, 'connection_lost', 'the connection was closed before a response came']],
  response: [...response, [lost, 'connection_lost', 'the connection was closed within the response head']],
};
