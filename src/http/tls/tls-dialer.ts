import { constants } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls';
import type { Clock } from '../../lib/clock.ts';
import { AddressHistory, type UnansweredEnd } from '../address-history.ts';
import { ReceivedBytes, ReceiveWatch, type ReceiveLimit } from './received-bytes.ts';
import { CodedError } from '../request-error.ts';
import { authorityOf, type Target } from '../target.ts';
import { TlsSessions } from './tls-sessions.ts';

interface TlsDial {
  /** The host that the certificate must be for. */
  readonly target: Target;
  /** An established connection or tunnel to the target. The TLS socket closes it from here on. */
  readonly transport: Socket;
  /** The bytes that the target may send until the allowance is renewed. Infinite for a proxy. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** A verified TLS connection, and the bytes that were received on it. */
export interface TlsConnection {
  readonly socket: TLSSocket;
  readonly received: ReceivedBytes;
  /** The end of the endpoint's certificate, in epoch milliseconds. */
  readonly validUntil: number;
}

/**
 * Resolves to a verified connection. Rejects with a `HandshakeOfferError` if the handshake may have failed for what it
 * offered. Leaves no socket open when it rejects.
 */
export type DialTls = (dial: TlsDial) => Promise<TlsConnection>;

interface TlsDialerOptions {
  /** PEMs that are trusted besides the public authorities. */
  readonly certificateAuthorities: readonly string[];
  readonly clock: Clock;
  readonly history?: AddressHistory;
  /** Called when a connection is closed because its endpoint exceeds a limit. */
  readonly onExceeded: (limit: ReceiveLimit) => void;
  /** Called when a handshake ends before the endpoint has sent a byte. */
  readonly onUnanswered?: (end: UnansweredEnd) => void;
}

/**
 * Thrown when a handshake fails that offered an old session, or that was reset before any answer and was not plain. The next
 * handshake with that endpoint offers less.
 */
export class HandshakeOfferError extends Error {
  override readonly name = 'HandshakeOfferError';
}

export function createTlsDialer({ certificateAuthorities, clock, onExceeded, ...options }: TlsDialerOptions): DialTls {
  const { history = new AddressHistory(Math.random), onUnanswered = () => undefined } = options;
  const secureContext = createContext(certificateAuthorities, groups);
  const classicContext = createContext(certificateAuthorities, classicGroups);
  const sessions = new TlsSessions();
  const watch = new ReceiveWatch();
  return async ({ target, transport, maxBytes, signal }) => {
    const key = authorityOf(target);
    const startedAt = clock.monotonic();
    const isPlain = history.isPlain(key, startedAt);
    const known = isPlain ? undefined : sessions.find(key, clock.now());
    const { remoteAddress: address = '', bytesRead: receivedBefore } = transport;
    const socket = openSocket({ target, transport }, isPlain ? classicContext : secureContext, known?.session);
    const received = new ReceivedBytes({ transport, socket, maxBytes, watch, onExceeded });
    let validUntil: number | undefined;
    const findEnd = (): number =>
      (validUntil ??= known !== undefined && socket.isSessionReused() ? known.validUntil : endOfValidity(socket));
    // Node emits a session only after the certificate was verified. A resumed connection does not verify it again, so
    // the session is kept only until the certificate expires.
    socket.on('session', (session: Buffer) => {
      received.countSideMessage();
      sessions.store(key, { session, validUntil: findEnd() });
    });
    try {
      await secured(socket, signal);
      if (!received.handshakeEnded()) throw new CodedError('TOO_MANY_BYTES');
    } catch (error) {
      sessions.forget(key);
      socket.destroy();
      const now = clock.monotonic();
      const isUnanswered = transport.bytesRead === receivedBefore;
      const end = endOf({ signal, error, isUnanswered, lastedMs: now - startedAt });
      if (end !== undefined) {
        history.noteUnanswered({ authority: key, address, wasPlain: isPlain, end }, now);
        onUnanswered(end);
      }
      if (signal.aborted) throw signal.reason;
      const suspects = isPlain ? [] : [end, known];
      const mayBeOffer = suspects.some((one) => one !== undefined);
      throw failureOf(error, received, mayBeOffer);
    }
    history.noteHandshake(target, address);
    // OpenSSL refuses to renegotiate, and Node then reports a second handshake, whose certificate it would check again.
    socket.removeAllListeners('secure').once('secure', () => socket.destroy(new CodedError('RENEGOTIATION_ASKED')));
    // Node has no event for a new key (RFC 8446, 4.6.3), but OpenSSL logs its secret. The secret itself is not read.
    socket.on('keylog', () => received.countSideMessage());
    return { socket, received, validUntil: findEnd() };
  };
}

/**
 * The cipher suites. Those of TLS 1.2 all have ephemeral keys on elliptic curves. A server can make any other key exchange
 * expensive for us: a finite field of 10,000 bits takes 1.4 s.
 */
const cipherSuites =
  'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:' +
  'ECDHE+AESGCM+AES128:ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES:!AESCCM:!PSK:!aNULL';

/** The groups of both versions. Keys for the first two, marked with an asterisk, are sent at once. */
const groups = '*X25519MLKEM768/*X25519:P-256/P-384:P-521';

/** The groups with small keys, for plain handshakes. */
const classicGroups = '*X25519:P-256/P-384:P-521';

/** The least time without an answer that says something. The connection was accepted before. */
const leastSilenceMs = 1000;

interface FailedHandshake {
  readonly signal: AbortSignal;
  readonly error: unknown;
  readonly isUnanswered: boolean;
  readonly lastedMs: number;
}

/** Returns how a handshake without an answer ended, or undefined if that says nothing about the endpoint. */
function endOf({ signal, error, isUnanswered, lastedMs }: FailedHandshake): UnansweredEnd | undefined {
  if (!isUnanswered) return undefined;
  const cause: unknown = signal.aborted ? signal.reason : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (signal.aborted) return code === 'CONNECT_TIMEOUT' && lastedMs >= leastSilenceMs ? 'silence' : undefined;
  return /^(ECONNRESET|EPIPE|ECONNABORTED)$/.test(code) ? 'reset' : undefined;
}

function failureOf(error: unknown, received: ReceivedBytes, mayBeOffer: boolean): unknown {
  // A large chain has cost its time even if it was refused, and TOO_MANY_BYTES opens the circuit at once.
  if (!received.handshakeEnded()) return new CodedError('TOO_MANY_BYTES');
  return mayBeOffer && !received.isExceeded ? new HandshakeOfferError('', { cause: error }) : error;
}

/** Creates the context for all connections; one for each would take 20 KB. `minVersion` has an effect only here. */
function createContext(certificateAuthorities: readonly string[], ecdhCurve: string): SecureContext {
  // `ca` replaces the public authorities, so they are listed too.
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ciphers: cipherSuites,
    ecdhCurve,
    // Each renegotiation is a whole handshake. `disableRenegotiation` has no effect on a client.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ca: [...getCACertificates('default'), ...certificateAuthorities],
    // An intermediate authority may be trusted without its root, as curl does.
    allowPartialTrustChain: true,
  });
}

function openSocket(
  { target: { host }, transport }: Pick<TlsDial, 'target' | 'transport'>,
  secureContext: SecureContext,
  session: Buffer | undefined,
): TLSSocket {
  const socket = connect({
    socket: transport,
    // `host` is what the certificate is checked against if there is no server name.
    host,
    // The server name is empty for a literal address, and has no dot at its end (RFC 6066, 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    secureContext,
    // Set explicitly, because `NODE_TLS_REJECT_UNAUTHORIZED` changes the default.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
  });
  return socket;
}

/** Resolves at the end of the handshake. Rejects with the first error, or when the signal is aborted. */
function secured(socket: TLSSocket, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The listener for errors stays, because a late one would be uncaught without it.
  socket.on('secureConnect', resolve).on('error', reject);
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return promise;
}

/** May be called once: Node takes the certificate out of the chain that OpenSSL keeps. */
function endOfValidity(socket: TLSSocket): number {
  return socket.getPeerX509Certificate()?.validToDate.getTime() ?? 0;
}
