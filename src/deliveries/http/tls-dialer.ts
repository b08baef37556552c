import { once } from 'node:events';
import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import {
  connect,
  createSecureContext,
  getCACertificates,
  type ConnectionOptions,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Clock } from '../../lib/clock.ts';
import type { Target } from './connector.ts';
import { TlsSessions } from './tls-sessions.ts';

export interface Dial {
  readonly target: Target;
  /** The only ones that are tried, in this order; at least one. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
  /** The peer has accepted the connection: from here on it is TLS that takes its time, or fails. */
  onAccepted(): void;
}

interface TlsDialerOptions {
  /** PEMs trusted besides the public ones. */
  readonly certificateAuthorities: readonly string[];
  readonly clock: Clock;
}

/** Dials and shakes hands, with one context and one store of sessions for all endpoints. */
export function createTlsDialer({
  certificateAuthorities,
  clock,
}: TlsDialerOptions): (dial: Dial) => Promise<TLSSocket> {
  const secureContext = createContext(certificateAuthorities);
  const sessions = new TlsSessions();
  return async (dial) => {
    dial.signal.throwIfAborted();
    const key = `${dial.target.host}:${dial.target.port}`;
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

/** How long a connection is silent before TCP asks whether the peer is still there. */
const keepAliveDelayMs = 30_000;

/** Node's own limit for one of several addresses, 250 ms, is less than many a round trip. */
const attemptTimeoutMs = 1000;

/** One context for all connections: each of its own would cost 20 KB. The lowest version counts here and nowhere else. */
function createContext(certificateAuthorities: readonly string[]): SecureContext {
  // What is passed replaces the public authorities.
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ca: [...getCACertificates('default'), ...certificateAuthorities],
  });
}

function openSocket(dial: Dial, secureContext: SecureContext, session: Buffer | undefined): TLSSocket {
  const { host, port } = dial.target;
  const options: ConnectionOptions & Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'> = {
    host,
    port,
    lookup: answerWith(dial.addresses),
    autoSelectFamily: dial.addresses.length > 1,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
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
  socket.once('connect', () => dial.onAccepted());
  return socket;
}

/** Answers with the addresses that were checked, so that no second lookup can bring in others. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, found);
    callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

function endOfValidity(socket: TLSSocket): number {
  return socket.getPeerX509Certificate()?.validToDate.getTime() ?? 0;
}
