import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/http/classify.ts';
import { BlockedError, CodedError, RequestError, type Phase } from '../../src/http/request-error.ts';

const phases: readonly Phase[] = ['lookup', 'connect', 'proxy', 'tunnel', 'handshake', 'request', 'response'];

describe('a failure', () => {
  it.each<[Phase, string, string]>([
    ['lookup', 'ENOTFOUND', 'dns_error'],
    ['request', 'RENEGOTIATION_ASKED', 'tls_error'],
    ['lookup', 'ENODATA', 'dns_error'],
    ['lookup', 'ETIMEOUT', 'dns_error'],
    ['lookup', 'EREFUSED', 'dns_error'],
    ['lookup', 'EBADNAME', 'dns_error'],
    ['lookup', 'ECONNREFUSED', 'local_error'],
    ['lookup', 'ENOMEM', 'local_error'],
    ['connect', 'ECONNREFUSED', 'connect_error'],
    ['connect', 'EHOSTUNREACH', 'connect_error'],
    ['connect', 'ENETUNREACH', 'connect_error'],
    ['connect', 'ECONNRESET', 'connect_error'],
    ['connect', 'ETIMEDOUT', 'timeout'],
    ['connect', 'EMFILE', 'local_error'],
    ['connect', 'ENFILE', 'local_error'],
    ['connect', 'EADDRNOTAVAIL', 'local_error'],
    ['connect', 'ENOBUFS', 'local_error'],
    ['connect', 'EPERM', 'local_error'],
    ['handshake', 'ECONNRESET', 'connect_error'],
    ['handshake', 'CERT_HAS_EXPIRED', 'tls_error'],
    ['handshake', 'CERT_REVOKED', 'tls_error'],
    ['handshake', 'SELF_SIGNED_CERT_IN_CHAIN', 'tls_error'],
    ['handshake', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_error'],
    ['handshake', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'tls_error'],
    ['handshake', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls_error'],
    ['handshake', 'EPROTO', 'tls_error'],
    ['handshake', 'EMFILE', 'local_error'],
    ['request', 'UND_ERR_SOCKET', 'connection_lost'],
    ['request', 'ECONNRESET', 'connection_lost'],
    ['request', 'EPIPE', 'connection_lost'],
    ['request', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_error'],
    ['request', 'UND_ERR_INVALID_ARG', 'local_error'],
    ['response', 'ECONNRESET', 'connection_lost'],
    ['response', 'HPE_INVALID_CONSTANT', 'protocol_error'],
    ['response', 'HTTPParserError', 'protocol_error'],
    ['response', 'NUL_IN_HEAD', 'protocol_error'],
    ['response', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol_error'],
    ['response', 'ERR_ASSERTION', 'protocol_error'],
    ['proxy', 'ECONNREFUSED', 'local_error'],
    ['proxy', 'CERT_HAS_EXPIRED', 'local_error'],
    ['proxy', 'EMFILE', 'local_error'],
    ['tunnel', 'ECONNRESET', 'local_error'],
    ['tunnel', 'HTTP_403', 'blocked'],
    ['tunnel', 'HTTP_502', 'connect_error'],
    ['tunnel', 'HTTP_504', 'timeout'],
    ['tunnel', 'CONNECT_TIMEOUT', 'timeout'],
  ])('of phase %s with %s is %s', (phase, code, kind) => {
    expect(classify(failure(phase, code)).kind).toBe(kind);
  });

  it('of a policy is blocked, with its reason', () => {
    expect(classify(new BlockedError('port 22 is not allowed'))).toEqual({
      kind: 'blocked',
      message: 'port 22 is not allowed',
    });
  });

  it('of our own code is a local error', () => {
    const outcome = classify(new TypeError('secret is not a function'));
    expect(outcome).toEqual({ kind: 'local_error', message: 'the request failed in our own code' });
  });

  it.each<[Phase, string]>([
    ['lookup', 'the host name was not resolved in time'],
    ['connect', 'the connection was not accepted in time'],
    ['handshake', 'TLS was not established in time'],
  ])('to connect in time names the phase: %s', (phase, message) => {
    expect(classify(new RequestError(phase, new CodedError('CONNECT_TIMEOUT')))).toEqual({ kind: 'timeout', message });
  });

  it('of several addresses is classified by the one that says something about the endpoint', () => {
    const errors = ['ENETUNREACH', 'ECONNREFUSED'].map((code) => Object.assign(new Error(code), { code }));
    expect(classify(new RequestError('connect', new AggregateError(errors)))).toEqual({
      kind: 'connect_error',
      message: 'the connection was refused',
    });
  });
});

it('makes a message of one short line from any error', () => {
  const codes = fc.stringMatching(/^[A-Z0-9_/]{1,400}$/);
  fc.assert(
    fc.property(fc.constantFrom(...phases), codes, (phase, code) => {
      const outcome = classify(failure(phase, code));
      const message = 'message' in outcome ? outcome.message : '';
      expect(message).toMatch(/^[ -~]{1,256}$/);
      expect(message).not.toContain('Bearer');
    }),
  );
});

function failure(phase: Phase, code: string): RequestError {
  return new RequestError(phase, Object.assign(new Error('POST /hook?token=1 Authorization: Bearer t'), { code }));
}
