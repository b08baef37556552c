import { once } from 'node:events';
import { isIP, type TcpNetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import {
  connect,
  createSecureContext,
  getCACertificates,
  type ConnectionOptions,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { WallClock } from '../../lib/clock.ts';
import { authorityOf, type Target } from './target.ts';
import { keepAliveDelayMs, tcpOptions } from './tcp-dialer.ts';
import { TlsSessions } from './tls-sessions.ts';

interface TlsDial {
  /** The host that the certificate must be for. */
  readonly target: Target;
  /** The addresses to try, in this order, at least one; or a tunnel to the target. */
  readonly through: readonly string[] | Duplex;
  readonly signal: AbortSignal;
  /** Called when the TCP connection is established and the TLS handshake begins. */
  readonly onConnected?: () => void;
}

export type DialTls = (dial: TlsDial) => Promise<TLSSocket>;

interface TlsDialerOptions {
  /** PEMs that are trusted besides the public authorities. */
  readonly certificateAuthorities: readonly string[];
  readonly clock: WallClock;
}

/** Creates a dialer for TLS with one context and one store of sessions for all endpoints. */
export function createTlsDialer({ certificateAuthorities, clock }: TlsDialerOptions): DialTls {
  const secureContext = createContext(certificateAuthorities);
  const sessions = new TlsSessions();
  return async (dial) => {
    dial.signal.throwIfAborted();
    const key = authorityOf(dial.target);
    const known = sessions.find(key, clock.now());
    const socket = openSocket(dial, secureContext, known?.session);
    let validUntil: number | undefined;
    // Node emits a session only after the certificate was verified. A resumed connection does not verify it again, so
    // the session is kept only until the certificate expires.
    socket.on('session', (session: Buffer) => {
      validUntil ??= known !== undefined && socket.isSessionReused() ? known.validUntil : endOfValidity(socket);
      sessions.store(key, { session, validUntil });
    });
    try {
      await once(socket, 'secureConnect', { signal: dial.signal });
    } catch (error) {
      sessions.forget(key);
      socket.destroy();
      throw dial.signal.aborted ? dial.signal.reason : error;
    }
    socket.setNoDelay(true).setKeepAlive(true, keepAliveDelayMs);
    return socket;
  };
}

/** Creates the context for all connections; one for each would take 20 KB. `minVersion` has an effect only here. */
function createContext(certificateAuthorities: readonly string[]): SecureContext {
  // `ca` replaces the public authorities, so they are listed too.
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ca: [...getCACertificates('default'), ...certificateAuthorities],
  });
}

function openSocket(
  { target, through, onConnected: onAccepted }: TlsDial,
  secureContext: SecureContext,
  session: Buffer | undefined,
): TLSSocket {
  const { host } = target;
  const options: ConnectionOptions & Partial<TcpNetConnectOpts> = {
    // Through a tunnel, `host` is what the certificate is checked against if there is no server name.
    ...(through instanceof Duplex ? { socket: through, host } : tcpOptions({ target, addresses: through })),
    // The server name is empty for a literal address, and has no dot at its end (RFC 6066, 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    secureContext,
    // Set explicitly, because `NODE_TLS_REJECT_UNAUTHORIZED` changes the default.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
  };
  const socket = connect(options);
  // Errors also reach the code that waits for the socket. Without this listener, a late one would be uncaught.
  socket.on('error', () => undefined);
  socket.once('connect', () => onAccepted?.());
  return socket;
}

function endOfValidity(socket: TLSSocket): number {
  return socket.getPeerX509Certificate()?.validToDate.getTime() ?? 0;
}
