import type { NoResponse, RequestOutcome } from '../outcome.ts';
import { BlockedError, RequestError, type Phase } from './request-error.ts';

/** What a request without a response head came to. The first row that fits decides. */
export function classify(error: unknown): RequestOutcome {
  if (error instanceof BlockedError) return { kind: 'blocked', message: error.message };
  if (!(error instanceof RequestError)) return { kind: 'local_error', message: 'the request failed in our own code' };
  const { phase, code } = error;
  const row = rows.find((candidate) => candidate.phases.includes(phase) && candidate.codes.test(code));
  const shown = `(${code.slice(0, 64)})`;
  if (row === undefined) return { kind: 'local_error', message: `the request could not be made ${shown}` };
  return { kind: row.kind, message: row.showCode === true ? `${row.message} ${shown}` : row.message };
}

interface Row {
  readonly phases: readonly Phase[];
  readonly codes: RegExp;
  readonly kind: NoResponse | 'local_error';
  /** One plain line for whoever reads a dead letter. */
  readonly message: string;
  readonly showCode?: boolean;
}

const lookup: readonly Phase[] = ['lookup'];
const connect: readonly Phase[] = ['connect'];
const handshake: readonly Phase[] = ['handshake'];
const opening: readonly Phase[] = ['lookup', 'connect', 'handshake'];
const sent: readonly Phase[] = ['request', 'response'];
const tls: readonly Phase[] = ['handshake', 'request', 'response'];
const any: readonly Phase[] = [...opening, ...sent];

const ours: readonly Row[] = [
  { phases: any, codes: /^E[MN]FILE$/, kind: 'local_error', message: 'this process has no file descriptor left' },
  { phases: opening, codes: /^EADDRNOTAVAIL$/, kind: 'local_error', message: 'no local port or address is left' },
  { phases: any, codes: /^(ENOBUFS|ENOMEM)$/, kind: 'local_error', message: 'the system has no memory for sockets' },
  { phases: opening, codes: /^ENETDOWN$/, kind: 'local_error', message: 'our network is down' },
  { phases: connect, codes: /^(EPERM|EACCES)$/, kind: 'local_error', message: 'our system forbids the connection' },
  {
    phases: lookup,
    codes: /^(ECONNREFUSED|EFILE|ENOTINITIALIZED|EDESTRUCTION|ECANCELLED)$/,
    kind: 'local_error',
    message: 'our name server is not there',
  },
  { phases: lookup, codes: /^TOO_MANY_LOOKUPS$/, kind: 'local_error', message: 'too many name lookups are under way' },
];

const names: readonly Row[] = [
  { phases: lookup, codes: /^CONNECT_TIMEOUT$/, kind: 'timeout', message: 'the host name was not resolved in time' },
  { phases: lookup, codes: /^ENOTFOUND$/, kind: 'dns_error', message: 'the host name does not exist' },
  { phases: lookup, codes: /^ENODATA$/, kind: 'dns_error', message: 'the host name has no address' },
  { phases: lookup, codes: /^EBADNAME$/, kind: 'dns_error', message: 'the host name is malformed' },
  { phases: lookup, codes: /^ETIMEOUT$/, kind: 'dns_error', message: 'no name server answered in time' },
  { phases: lookup, codes: /./, kind: 'dns_error', message: 'the host name could not be resolved', showCode: true },
];

const connections: readonly Row[] = [
  {
    phases: connect,
    codes: /^(CONNECT_TIMEOUT|ETIMEDOUT)$/,
    kind: 'timeout',
    message: 'the connection was not accepted in time',
  },
  { phases: connect, codes: /^ECONNREFUSED$/, kind: 'connect_error', message: 'the connection was refused' },
  { phases: connect, codes: /^E(NET|HOST)UNREACH$/, kind: 'connect_error', message: 'the host is unreachable' },
  { phases: connect, codes: /./, kind: 'connect_error', message: 'no connection came about', showCode: true },
];

const certificates: readonly Row[] = [
  { phases: handshake, codes: /^CERT_HAS_EXPIRED$/, kind: 'tls_error', message: 'the certificate has expired' },
  { phases: handshake, codes: /^CERT_NOT_YET_VALID$/, kind: 'tls_error', message: 'the certificate is not valid yet' },
  {
    phases: handshake,
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    kind: 'tls_error',
    message: 'the certificate is for another host',
  },
  {
    phases: handshake,
    codes: /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    kind: 'tls_error',
    message: 'the certificate is self-signed',
  },
  {
    phases: handshake,
    codes: /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED)$/,
    kind: 'tls_error',
    message: 'the certificate is from an unknown issuer',
  },
  {
    phases: handshake,
    codes: /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    kind: 'tls_error',
    message: 'the certificate is from an unknown issuer, or an intermediate certificate is missing',
  },
  { phases: handshake, codes: /^CERT_REVOKED$/, kind: 'tls_error', message: 'the certificate is revoked' },
];

const handshakes: readonly Row[] = [
  {
    phases: handshake,
    codes: /^(CONNECT_TIMEOUT|ETIMEDOUT)$/,
    kind: 'timeout',
    message: 'TLS was not established in time',
  },
  {
    phases: handshake,
    codes: /^(ECONNRESET|EPIPE|ECONNABORTED)$/,
    kind: 'connect_error',
    message: 'the connection was closed during the TLS handshake',
  },
  {
    phases: handshake,
    codes: /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/,
    kind: 'tls_error',
    message: 'the endpoint does not offer TLS 1.2 or higher',
  },
  {
    phases: handshake,
    codes: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/,
    kind: 'tls_error',
    message: 'what answers on this port is not TLS',
  },
  { phases: tls, codes: /NO_APPLICATION_PROTOCOL/, kind: 'tls_error', message: 'the endpoint does not offer HTTP/1.1' },
  {
    phases: tls,
    codes: /CERTIFICATE_REQUIRED/,
    kind: 'tls_error',
    message: 'the endpoint asks for a client certificate',
  },
  { phases: handshake, codes: /./, kind: 'tls_error', message: 'the TLS handshake failed', showCode: true },
  { phases: sent, codes: /^(ERR_SSL_|ERR_TLS_|EPROTO)/, kind: 'tls_error', message: 'TLS failed', showCode: true },
];

const responses: readonly Row[] = [
  {
    phases: sent,
    codes: /^UND_ERR_HEADERS_OVERFLOW$/,
    kind: 'protocol_error',
    message: 'the response head is too large',
  },
  {
    phases: sent,
    codes: /^(HPE_|HTTPParserError|BAD_RESPONSE)/,
    kind: 'protocol_error',
    message: 'the response is not HTTP/1.1',
  },
  {
    phases: ['request'],
    codes: /^(UND_ERR_SOCKET|CONNECTION_SPENT|ECONNRESET|EPIPE|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    kind: 'connection_lost',
    message: 'the connection was closed before a response came',
  },
  {
    phases: ['response'],
    codes: /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    kind: 'connection_lost',
    message: 'the connection was closed within the response head',
  },
];

const rows: readonly Row[] = [...ours, ...names, ...connections, ...certificates, ...handshakes, ...responses];
