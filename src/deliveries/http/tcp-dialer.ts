import { once } from 'node:events';
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Target } from './target.ts';

interface TcpDial {
  readonly target: Target;
  /** The addresses to try, in this order; at least one. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

/** Resolves to an established connection. */
export async function dialTcp({ target, addresses, signal }: TcpDial): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect(tcpOptions({ target, addresses }));
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelayMs);
}

/**
 * The silence after which TCP probes the peer, ten times in ten seconds. A connection that a firewall dropped is thus
 * closed within about 20 s, and not used again.
 */
const keepAliveDelayMs = 10_000;

/** The timeout for one of several addresses. Node's default of 250 ms is shorter than many a round trip. */
const attemptTimeoutMs = 1000;

function tcpOptions({ target: { host, port }, addresses }: Omit<TcpDial, 'signal'>): TcpNetConnectOpts {
  return {
    host,
    port,
    lookup: answerWith(addresses),
    autoSelectFamily: addresses.length > 1,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
  };
}

/** Creates a lookup that returns the checked addresses, so that no second lookup can return others. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, found);
    callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}
