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
import type { Clock } from '../../lib/clock.ts';
import { authorityOf, type Target } from './target.ts';
import { keepAliveDelayMs, tcpOptions } from './tcp-dialer.ts';
import { TlsSessions } from './tls-sessions.ts';

interface TlsDial {
  /** Whose certificate it has to be. */
  readonly target: Target;
  /** Addresses, the only ones that are tried, in this order, at least one; or a tunnel that leads to the target. */
  readonly through: readonly string[] | Duplex;
  readonly signal: AbortSignal;
  /** The peer has accepted the connection: from here on it is TLS that takes its time, or fails. */
  readonly onConnected?: () => void;
}

export type DialTls = (dial: TlsDial) => Promise<TLSSocket>;

interface TlsDialerOptions {
  /** PEMs trusted besides the public ones. */
  readonly certificateAuthorities: readonly string[];
  readonly clock: Clock;
}

/** Dials and shakes hands, with one context and one store of sessions for all endpoints. */
export function createTlsDialer({ certificateAuthorities, clock }: TlsDialerOptions): DialTls {
  const secureContext = createContext(certificateAuthorities);
  const sessions = new TlsSessions();
  return async (dial) => {
    dial.signal.throwIfAborted();
    const key = authorityOf(dial.target);
    const known = sessions.find(key, clock.now());
    const socket = openSocket(dial, secureContext, known?.session);
    let validUntil: number | undefined;
    // Node tells of a session only once its certificate is verified. Whoever resumes it does not see that certificate
    // again, so it is kept no longer than that holds.
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

/** One context for all connections: each of its own would cost 20 KB. The lowest version counts here and nowhere else. */
function createContext(certificateAuthorities: readonly string[]): SecureContext {
  // What is passed replaces the public authorities.
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
    // Of a tunnel the host says whose certificate it has to be where there is no server name.
    ...(through instanceof Duplex ? { socket: through, host } : tcpOptions({ target, addresses: through })),
    // A literal address has no server name, and a name has no dot at its end there (RFC 6066, 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    secureContext,
    // Said aloud, because an environment variable turns off what is left to the default.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(session === undefined ? {} : { session }),
  };
  const socket = connect(options);
  // Whoever waits for the socket hears its errors too; without a listener of its own a late one would be uncaught.
  socket.on('error', () => undefined);
  socket.once('connect', () => onAccepted?.());
  return socket;
}

function endOfValidity(socket: TLSSocket): number {
  return socket.getPeerX509Certificate()?.validToDate.getTime() ?? 0;
}
