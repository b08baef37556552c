import { once } from 'node:events';
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Target } from './target.ts';

interface TcpDial {
  readonly target: Target;
  /** The only ones that are tried, in this order; at least one. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

/** Resolves to a connection that stands. */
export async function dialTcp({ signal, ...dial }: TcpDial): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect(tcpOptions(dial));
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
 * How long a connection is silent before TCP asks whether the peer is still there, ten times in as many seconds. So one that
 * was dropped on the way without a word is closed, instead of being used for the next request.
 */
export const keepAliveDelayMs = 10_000;

/** Node's own limit for one of several addresses, 250 ms, is less than many a round trip. */
const attemptTimeoutMs = 1000;

export function tcpOptions({ target: { host, port }, addresses }: Omit<TcpDial, 'signal'>): TcpNetConnectOpts {
  return {
    host,
    port,
    lookup: answerWith(addresses),
    autoSelectFamily: addresses.length > 1,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
  };
}

/** Answers with the addresses that were checked, so that no second lookup can bring in others. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, found);
    callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}
